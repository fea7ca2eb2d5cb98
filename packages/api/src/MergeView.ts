/** A merge as the API shows it. */
import type { GroupMerge } from "@errata/core"
import { Schema } from "effect"
import { at, described, Timestamp } from "./Json.js"

export const MergeView = Schema.Struct({
  id: described("The merge's id", Schema.Int),
  source_id: described("The group that was merged", Schema.Int),
  target_id: described(
    "The group that it was merged into, which may have been merged itself since",
    Schema.Int,
  ),
  merged_at: described("When it was merged", Timestamp),
  merged_by: described("The id of the user who merged it; null where no user did", Schema.NullOr(Schema.Int)),
}).annotations({
  identifier: "Merge",
  examples: [
    { id: 9, source_id: 43, target_id: 42, merged_at: at("2026-01-05T09:45:00.000Z"), merged_by: 3 },
  ],
})
export type MergeView = typeof MergeView.Type

export const mergeView = (merge: GroupMerge): MergeView => ({
  id: merge.id,
  source_id: merge.sourceId,
  target_id: merge.targetId,
  merged_at: merge.mergedAt,
  merged_by: merge.mergedBy,
})
