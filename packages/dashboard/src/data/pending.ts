/** Responses and fields that the typed client lacks. They move to `@errata/api` with their endpoints. */
import type { Group, Project } from "@errata/api/promise"

export interface Me {
  /** Null for a caller without an account. */
  readonly user: {
    readonly id: number
    readonly name: string
    readonly email_address: string
    readonly admin: boolean
  } | null
  readonly instance: {
    readonly version: string
    readonly base_url: string | null
    readonly service_name: string
  }
  /** Instance rules that are granted to the caller. */
  readonly can: ReadonlyArray<string>
}

export interface Person {
  readonly id: number
  readonly name: string
}

export type Row = Group & {
  /** The group that it was merged into while the page was open. */
  readonly merged_into?: number | undefined
  /** True if it was discarded while the page was open. */
  readonly discarded?: boolean
  readonly issue_url?: string | null
  readonly web_url?: string | null
}

export type ProjectRow = Project & {
  readonly first_report_at?: string | null
  readonly last_report_at?: string | null
  readonly last_contact_at?: string | null
}

export interface Navigation {
  readonly first_id: number | null
  readonly previous_id: number | null
  readonly next_id: number | null
  readonly last_id: number | null
}
