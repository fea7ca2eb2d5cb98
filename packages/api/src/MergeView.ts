/** A merge as the API shows it. */
import type { ListedMerge } from "@errata/core"
import { Schema } from "effect"
import { int, intOrNull, text, time } from "./Fields.js"
import { named } from "./Json.js"

/** A merge of groups, as REST shows it. */
export const MergeView = Schema.Struct({
  id: int("Id of the merge"),
  source_id: int("Id of the merged group"),
  source_error_type: text("Error type of the merged group"),
  source_error_message: text("Error message of the merged group"),
  source_culprit: text("Place in the code of the merged group"),
  target_id: int("Id of the group that it was merged into. That group may since be merged itself"),
  merged_at: time("Time of the merge"),
  merged_by: intOrNull("Id of the user who merged it, or null"),
}).pipe(
  named("Merge", {
    id: 9,
    source_id: 43,
    source_error_type: "TimeoutError",
    source_error_message: "The request took longer than 5 s",
    source_culprit: "shop/payment in charge",
    target_id: 42,
    merged_at: "2026-01-05T09:45:00.000Z",
    merged_by: 3,
  }),
)
export type MergeView = typeof MergeView.Type

export const mergeView = (merge: ListedMerge): MergeView => ({
  id: merge.id,
  source_id: merge.sourceId,
  source_error_type: merge.sourceTitle.errorType,
  source_error_message: merge.sourceTitle.errorMessage,
  source_culprit: merge.sourceTitle.culprit,
  target_id: merge.targetId,
  merged_at: merge.mergedAt,
  merged_by: merge.mergedBy,
})
