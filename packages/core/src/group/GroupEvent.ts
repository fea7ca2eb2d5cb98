/** Events of a group's transitions. They become notes on the group and webhook deliveries. */
import { Data, Schema } from "effect"
import type { ReportId } from "../id/ReportId.js"
import type { UserId } from "../user/User.js"
import type { DiscardedGroup } from "./DiscardedGroup.js"
import type { Group, GroupId, MuteCondition, Resolution } from "./Group.js"

/** The report that reopened a group. Times are epoch milliseconds. */
export interface ReopeningReport {
  readonly reportId: ReportId
  readonly eventId: string
  readonly release: string
  readonly occurredAt: number
  readonly receivedAt: number
}

/** Why a mute ended. */
export const UnmuteReason = Schema.Literals(["manual", "expired", "reports_count", "release"])
export type UnmuteReason = typeof UnmuteReason.Type

/** `group` is the state after the transition. `by` is null if no person acted. */
export type GroupEvent = Data.TaggedEnum<{
  Created: {
    readonly group: Group
    /** The last discarded group of the same error. */
    readonly discarded?: DiscardedGroup
  }
  Resolved: { readonly group: Group; readonly by: UserId | null }
  Unresolved: { readonly group: Group; readonly by: UserId | null; readonly previous: Resolution }
  Reopened: { readonly group: Group; readonly previous: Resolution; readonly report: ReopeningReport }
  Muted: { readonly group: Group; readonly by: UserId | null; readonly condition: MuteCondition }
  Unmuted: {
    readonly group: Group
    readonly by: UserId | null
    readonly reason: UnmuteReason
    /** The version whose report ended the mute, if one did. */
    readonly release: string | null
  }
  Merged: { readonly group: Group; readonly by: UserId | null; readonly sourceIds: ReadonlyArray<GroupId> }
  /** An event of both groups. `otherId` is the group it was merged with. */
  Unmerged: { readonly group: Group; readonly by: UserId | null; readonly otherId: GroupId }
  Assigned: { readonly group: Group; readonly by: UserId | null; readonly assigneeId: UserId | null }
  IssueLinked: { readonly group: Group; readonly by: UserId | null; readonly issueUrl: string | null }
  /** A person wrote a note. */
  Noted: { readonly group: Group; readonly by: UserId | null; readonly content: string }
  /** The severity of a group that already had reports rose to `fatal`. */
  Escalated: { readonly group: Group }
}>

export const GroupEvent = Data.taggedEnum<GroupEvent>()

/** The events that webhooks can subscribe to. */
export const GroupEventName = Schema.Literals([
  "group.created",
  "group.resolved",
  "group.unresolved",
  "group.muted",
  "group.unmuted",
  "group.merged",
  "group.assigned",
])
export type GroupEventName = typeof GroupEventName.Type

/** Events in the outbox: those for webhooks, and those that only alert rules need. */
export const OutboxEventName = Schema.Literals([...GroupEventName.literals, "group.noted", "group.escalated"])
export type OutboxEventName = typeof OutboxEventName.Type

/** The name of an event in the outbox; null if it is not written there. */
export const outboxNameOf = ({ _tag }: Pick<GroupEvent, "_tag">): OutboxEventName | null =>
  _tag === "Noted" ? "group.noted" : _tag === "Escalated" ? "group.escalated" : names[_tag]

/** The name of an event for webhooks, or null. Reopening is `group.unresolved`, with a reason. */
export const nameOf = ({ _tag }: Pick<GroupEvent, "_tag">): GroupEventName | null => names[_tag]

/** The person who caused the event, or null. */
export const authorOf = (event: GroupEvent): UserId | null =>
  event._tag === "Created" || event._tag === "Reopened" || event._tag === "Escalated" ? null : event.by

// internal

const names: Readonly<Record<GroupEvent["_tag"], GroupEventName | null>> = {
  Created: "group.created",
  Resolved: "group.resolved",
  Unresolved: "group.unresolved",
  Reopened: "group.unresolved",
  Muted: "group.muted",
  Unmuted: "group.unmuted",
  Merged: "group.merged",
  Unmerged: null,
  Assigned: "group.assigned",
  IssueLinked: null,
  Noted: null,
  Escalated: null,
}
