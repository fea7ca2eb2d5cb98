/** Answers and fields that the typed client does not have yet. They move into `@errata/api` with their endpoints. */
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
  /** Rules of the instance that hold for the caller. */
  readonly can: ReadonlyArray<string>
}

export interface Person {
  readonly id: number
  readonly name: string
}

export interface Series {
  readonly group_id: number | null
  readonly reports: ReadonlyArray<number>
  readonly new_groups: ReadonlyArray<number> | null
  readonly total: number
}

export interface Activity {
  readonly since: string
  readonly until: string
  readonly step: "hour" | "day"
  /** Counts of later times may still be incomplete. */
  readonly complete_until: string | null
  readonly series: ReadonlyArray<Series>
}

export interface GroupCount {
  readonly count: number
  /** Whether there are more than were counted. */
  readonly capped: boolean
}

export interface TagValue {
  readonly value: string
  readonly reports_count: number
  readonly last_seen?: string
}

export interface TagSummary {
  readonly key: string
  readonly reports_count: number
  readonly values_count: number
  readonly values_count_capped: boolean
  readonly values: ReadonlyArray<TagValue>
}

export type Row = Group & {
  /** The group that it was merged into while the page was open. */
  readonly merged_into?: number | undefined
  readonly users_count?: number
  readonly users_count_estimated?: boolean
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
