import type { DateTime } from "effect"
import type { UserId } from "../user/User.js"
import type { GroupId } from "./Group.js"

/** The record of a discarded group. It is stored under the keys of the group and of those merged into it. */
export interface DiscardedGroup {
  readonly groupId: GroupId
  readonly reportsCount: number
  readonly by: UserId | null
  readonly at: DateTime.Utc
}

/** Discarded groups are kept for this number of grouping keys per project. */
export const maxDiscardedKeys = 1_000
