/** What listeners are told: the payloads of webhooks, field by field. */
import type { Group } from "@errata/api/promise"
import type { GroupEventName } from "@errata/core"

/** Who made a change; null where no person did. */
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
  /** As lists show it, after the change. */
  readonly group: Group
}

/** A group was resolved no more because a report came. */
export interface GroupReopening {
  readonly event: "group.unresolved"
  readonly reason: "new_report"
  readonly group_id: number
  readonly project_id: number
  readonly report_id: number
  readonly event_id: string | null
  readonly release_version: string | null
  /** ISO 8601 with microseconds, as the next two. */
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
    /** The version whose report ended a mute until the next release; present only with this reason. */
    readonly release_version?: string
  }
  readonly "group.merged": GroupChange<"group.merged"> & { readonly source_ids: ReadonlyArray<number> }
  readonly "group.assigned": GroupChange<"group.assigned">
}
