/** What a transition of a group makes known: to the notes on the group, and to webhooks. */
import { Data } from "effect"
import type { ReportId } from "../id/ReportId.js"
import type { UserId } from "../user/User.js"
import type { Group, GroupId, MuteCondition, Resolution } from "./Group.js"

/** The report that reopened a group. Times are epoch milliseconds. */
export interface ReopeningReport {
  readonly reportId: ReportId
  readonly eventId: string
  readonly release: string
  readonly occurredAt: number
  readonly receivedAt: number
}

/** `group` is the state after the transition; `by` is null where no person acted. */
export type GroupEvent = Data.TaggedEnum<{
  Created: { readonly group: Group }
  Resolved: { readonly group: Group; readonly by: UserId | null }
  Unresolved: { readonly group: Group; readonly by: UserId | null; readonly previous: Resolution }
  Reopened: { readonly group: Group; readonly previous: Resolution; readonly report: ReopeningReport }
  Muted: { readonly group: Group; readonly by: UserId | null; readonly condition: MuteCondition }
  Unmuted: {
    readonly group: Group
    readonly by: UserId | null
    readonly reason: "manual" | "expired" | "reports_count"
  }
  Merged: { readonly group: Group; readonly by: UserId | null; readonly sourceIds: ReadonlyArray<GroupId> }
  Assigned: { readonly group: Group; readonly by: UserId | null; readonly assigneeId: UserId | null }
}>

export const GroupEvent = Data.taggedEnum<GroupEvent>()
