/** Events of listeners. They have the fields of webhook payloads. */
import type { Group } from "@errata/api/promise"
import type { GroupEventName } from "@errata/core"

/** The user who made a change. Null if it was not a user. */
export interface ChangeActor {
  readonly id: number
  readonly name: string | null
}

/** A change of a group. */
export interface GroupChange<Event extends GroupEventName> {
  readonly event: Event
  readonly group_id: number
  readonly project_id: number
  /** ISO 8601. */
  readonly occurred_at: string
  readonly actor: ChangeActor | null
  /** The group after the change, as in lists. */
  readonly group: Group
}

/** A resolved group was reopened by a new report. */
export interface GroupReopening {
  readonly event: "group.unresolved"
  readonly reason: "new_report"
  readonly group_id: number
  readonly project_id: number
  readonly report_id: number
  readonly event_id: string | null
  readonly release_version: string | null
  /** ISO 8601 with microseconds, like the next two fields. */
  readonly report_occurred_at: string
  readonly report_received_at: string
  readonly previous_resolved_at: string
  readonly previous_resolver_id: number | null
  readonly previous_resolver_name: string | null
}

/** Events by name. */
export interface GroupEvents {
  readonly "group.created": GroupChange<"group.created">
  readonly "group.resolved": GroupChange<"group.resolved">
  readonly "group.unresolved":
    | GroupReopening
    | (GroupChange<"group.unresolved"> & { readonly reason: "manual" })
  readonly "group.muted": GroupChange<"group.muted">
  readonly "group.unmuted": GroupChange<"group.unmuted"> & {
    readonly reason: "manual" | "expired" | "reports_count" | "release"
    /** The release that ended a mute until the next release. Only present with the reason `release`. */
    readonly release_version?: string
  }
  readonly "group.merged": GroupChange<"group.merged"> & { readonly source_ids: ReadonlyArray<number> }
  readonly "group.assigned": GroupChange<"group.assigned">
}
