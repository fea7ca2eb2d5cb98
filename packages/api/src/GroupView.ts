/** A group as the API shows it: in lists, and on its own with what made it a group. */
import {
  fingerprint,
  type Group,
  GroupingAlgorithm,
  GroupingData,
  muteSource,
  type SearchHint,
  Severity,
} from "@errata/core"
import { type DateTime, Schema } from "effect"
import { described, Timestamp } from "./Json.js"
import { DateParam, IdValue, list, optional } from "./Params.js"

const fields = {
  id: Schema.Int,
  project_id: Schema.Int,
  error_type: Schema.String,
  error_message: Schema.String,
  culprit: Schema.String,
  fingerprint: described("Algorithm and key, e.g. `v2:9f86d0…`.", Schema.String),
  /** The highest ever seen. */
  severity: Severity.Severity,
  /** Equals `last_occurred_at`. */
  occurred_at: Timestamp,
  first_occurred_at: Timestamp,
  last_occurred_at: Timestamp,
  reports_count: Schema.Int,
  notes_count: Schema.Int,
  resolved_at: Schema.NullOr(Timestamp),
  resolver_id: Schema.NullOr(Schema.Int),
  muted_at: Schema.NullOr(Timestamp),
  muter_id: Schema.NullOr(Schema.Int),
  muted_until: Schema.NullOr(Timestamp),
  muted_until_reports_count: described(
    "The total number of reports at which notifications resume",
    Schema.NullOr(Schema.Int),
  ),
  project_muted_at: Schema.NullOr(Timestamp),
  project_muted_until: Schema.NullOr(Timestamp),
  mute_source: Schema.NullOr(Schema.Literal("manual", "project", "manual_and_project")),
  resolved: Schema.Boolean,
  muted: described("Whether notifications are suppressed at the moment of the answer", Schema.Boolean),
  assignee_id: Schema.NullOr(Schema.Int),
  created_at: Timestamp,
  updated_at: Timestamp,
}

export const GroupView = Schema.Struct(fields).annotations({ identifier: "Group" })
export type GroupView = typeof GroupView.Type

export const GroupDetailView = Schema.Struct({
  ...fields,
  grouping: Schema.Struct({
    algorithm: GroupingAlgorithm,
    compatible_with: described(
      '`["v2"]` for a legacy `v1` group that v2 goes on with',
      Schema.Array(Schema.String),
    ),
    data: GroupingData,
  }),
}).annotations({ identifier: "GroupDetail" })
export type GroupDetailView = typeof GroupDetailView.Type

/** A token of a search that looks like a filter and is none: it was searched for as words. */
export const SearchHintView = Schema.Struct({
  token: described("The token as it stands in the query", Schema.String),
  did_you_mean: described(
    "What could stand in its place; null where the filter is known, but not what to make of its value",
    Schema.NullOr(Schema.String),
  ),
}).annotations({ identifier: "SearchHint" })
export type SearchHintView = typeof SearchHintView.Type

/** What may be sent to mute a group: nothing for ever; where both are given `occurrences` wins. */
export const GroupMute = Schema.Struct({
  /** After so many more reports notifications resume. */
  occurrences: optional(
    Schema.Number.pipe(Schema.int(), Schema.between(1, 1_000_000_000)).annotations({
      message: () => ({ message: "must be a positive integer, at most 1000000000", override: true }),
    }),
  ),
  snooze_until: optional(described("ISO 8601, in the future", DateParam)),
}).annotations({ identifier: "GroupMute" })
export type GroupMute = typeof GroupMute.Type

/** The groups of a bulk change. */
export const GroupIds = Schema.Struct({
  group_ids: list({
    isItem: Schema.is(Schema.Int),
    of: "integers",
    unit: "ids",
    minItems: 1,
    maxItems: 1_000,
    item: { type: "integer" },
  }),
}).annotations({ identifier: "GroupIds" })
export type GroupIds = typeof GroupIds.Type

export const BulkResult = Schema.Struct({
  processed: described("How many groups were changed", Schema.Int),
}).annotations({ identifier: "BulkResult" })
export type BulkResult = typeof BulkResult.Type

export const MergeResult = Schema.Struct({
  processed: described("How many groups were merged", Schema.Int),
  merged_into_id: Schema.Int,
}).annotations({ identifier: "MergeResult" })
export type MergeResult = typeof MergeResult.Type

/** Who is to see to a group. */
export const Assignment = Schema.Struct({ user_id: IdValue }).annotations({ identifier: "Assignment" })
export type Assignment = typeof Assignment.Type

export const groupView = (group: Group, now: DateTime.Utc): GroupView => {
  const source = muteSource(group, now)
  const condition = group.mute?.condition
  return {
    id: group.id,
    project_id: group.projectId,
    error_type: group.errorType,
    error_message: group.errorMessage,
    culprit: group.culprit,
    fingerprint: fingerprint(group.grouping),
    severity: group.severity,
    occurred_at: group.lastOccurredAt,
    first_occurred_at: group.firstOccurredAt,
    last_occurred_at: group.lastOccurredAt,
    reports_count: group.reportsCount,
    notes_count: group.notesCount,
    resolved_at: group.resolution?.at ?? null,
    resolver_id: group.resolution?.by ?? null,
    muted_at: group.mute?.at ?? null,
    muter_id: group.mute?.by ?? null,
    muted_until: condition?._tag === "Until" ? condition.until : null,
    muted_until_reports_count: condition?._tag === "UntilReportsCount" ? condition.reportsCount : null,
    project_muted_at: group.projectMute?.at ?? null,
    project_muted_until: group.projectMute?.until ?? null,
    mute_source: source,
    resolved: group.resolution !== null,
    muted: source !== null,
    assignee_id: group.assigneeId,
    created_at: group.createdAt,
    updated_at: group.updatedAt,
  }
}

export const groupDetailView = (group: Group, now: DateTime.Utc): GroupDetailView => ({
  ...groupView(group, now),
  grouping: {
    algorithm: group.grouping.algorithm,
    compatible_with: group.grouping.algorithm === "v1" ? ["v2"] : [],
    data: group.grouping.data,
  },
})

/** The `hints` of a list, left out where there are none. */
export const hintFields = (
  hints: ReadonlyArray<SearchHint>,
): { readonly hints?: ReadonlyArray<SearchHintView> } =>
  hints.length === 0
    ? {}
    : { hints: hints.map(({ didYouMean, token }) => ({ token, did_you_mean: didYouMean })) }
