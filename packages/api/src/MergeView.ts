/** A merge as the API shows it. */
import type { GroupMerge } from "@errata/core"
import { Schema } from "effect"
import { described, Timestamp } from "./Json.js"

/** A merge of groups, as REST shows it. */
export const MergeView = Schema.Struct({
  id: described("Id of the merge", Schema.Int),
  source_id: described("Id of the merged group", Schema.Int),
  target_id: described(
    "Id of the group that it was merged into. That group may since be merged itself",
    Schema.Int,
  ),
  merged_at: described("Time of the merge", Timestamp),
  merged_by: described("Id of the user who merged it, or null", Schema.NullOr(Schema.Int)),
}).pipe(
  Schema.annotateEncoded({
    identifier: "Merge",
    examples: [{ id: 9, source_id: 43, target_id: 42, merged_at: "2026-01-05T09:45:00.000Z", merged_by: 3 }],
  }),
)
export type MergeView = typeof MergeView.Type

export const mergeView = (merge: GroupMerge): MergeView => ({
  id: merge.id,
  source_id: merge.sourceId,
  target_id: merge.targetId,
  merged_at: merge.mergedAt,
  merged_by: merge.mergedBy,
})
