/** A group as the API shows it: in lists, and on its own with what made it a group. */
import { Severity } from "@errata/core/event"
import {
  activeMutes,
  type Group,
  isOccurrences,
  type ListedGroup,
  maxOccurrences,
  muteSource,
  notOccurrences,
  selectionProblem,
} from "@errata/core/group"
import { fingerprint, GroupingAlgorithm, GroupingData } from "@errata/core/grouping"
import type { SearchHint } from "@errata/core/search"
import { maxIds } from "@errata/core/validation"
import { type DateTime, Schema } from "effect"
import { at, described, Timestamp } from "./Json.js"
import { DateParam, IdValue, list, optional } from "./Params.js"

const fields = {
  id: described("The group's id", Schema.Int),
  project_id: described("The project that it belongs to", Schema.Int),
  error_type: described("What kind of error it is, of the first report, e.g. `TypeError`", Schema.String),
  error_message: described("What the first report said", Schema.String),
  culprit: described(
    "Where it happened, of the first report: a transaction or the frame to blame; empty where unknown",
    Schema.String,
  ),
  fingerprint: described("Algorithm and key of the grouping, e.g. `v2:9f86d0…`", Schema.String),
  severity: described("The highest severity ever seen in the group", Severity.Severity),
  occurred_at: described("Equals `last_occurred_at`", Timestamp),
  first_occurred_at: described("When its oldest report occurred", Timestamp),
  last_occurred_at: described("When its latest report occurred", Timestamp),
  reports_count: described("How many reports were ever recorded in it", Schema.Int),
  notes_count: described("How many notes are on it", Schema.Int),
  resolved_at: described("When it was resolved; null while it is not", Schema.NullOr(Timestamp)),
  resolver_id: described(
    "The user who resolved it; null where it is unresolved, or no user did it",
    Schema.NullOr(Schema.Int),
  ),
  muted_at: described("When it was muted by itself; null where it is not", Schema.NullOr(Timestamp)),
  muter_id: described("The user who muted it; null where nobody did", Schema.NullOr(Schema.Int)),
  muted_until: described("When a mute for a time ends; null for other mutes", Schema.NullOr(Timestamp)),
  muted_until_reports_count: described(
    "The total number of reports at which notifications resume; null for other mutes. A merge adds the reports of its sources, and an unmerge takes them off again",
    Schema.NullOr(Schema.Int),
  ),
  project_muted_at: described(
    "When its project's mute took it in; null where none did",
    Schema.NullOr(Timestamp),
  ),
  project_muted_until: described(
    "When its project's mute ends; null where it has no end",
    Schema.NullOr(Timestamp),
  ),
  mute_source: described(
    "What mutes it at the moment of the answer; null where nothing does",
    Schema.NullOr(Schema.Literal("manual", "project", "manual_and_project")),
  ),
  resolved: described("Whether it is resolved", Schema.Boolean),
  muted: described("Whether notifications are suppressed at the moment of the answer", Schema.Boolean),
  assignee_id: described("The user who is to see to it; null where nobody is", Schema.NullOr(Schema.Int)),
  created_at: described("When its first report was recorded", Timestamp),
  updated_at: described("When it last changed", Timestamp),
}

const example = {
  id: 42,
  project_id: 1,
  error_type: "TypeError",
  error_message: "Cannot read properties of undefined (reading 'price')",
  culprit: "src/cart.js in total",
  fingerprint: "v2:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  severity: "error",
  occurred_at: at("2026-01-05T09:30:00.000Z"),
  first_occurred_at: at("2026-01-02T03:04:05.678Z"),
  last_occurred_at: at("2026-01-05T09:30:00.000Z"),
  reports_count: 17,
  notes_count: 1,
  resolved_at: null,
  resolver_id: null,
  muted_at: at("2026-01-05T10:00:00.000Z"),
  muter_id: 3,
  muted_until: null,
  muted_until_reports_count: 117,
  project_muted_at: null,
  project_muted_until: null,
  mute_source: "manual",
  resolved: false,
  muted: true,
  assignee_id: 3,
  created_at: at("2026-01-02T03:04:06.000Z"),
  updated_at: at("2026-01-05T10:00:00.000Z"),
} as const

export const GroupView = Schema.Struct(fields).annotations({ identifier: "Group", examples: [example] })
export type GroupView = typeof GroupView.Type

export const GroupDetailView = Schema.Struct({
  ...fields,
  grouping: described(
    "What made it a group",
    Schema.Struct({
      algorithm: described("The algorithm that made it", GroupingAlgorithm),
      compatible_with: described(
        '`["v2"]` for a legacy `v1` group that v2 goes on with; else empty',
        Schema.Array(Schema.String),
      ),
      data: described("What its reports have in common, by the method that found it", GroupingData),
    }),
  ),
}).annotations({
  identifier: "GroupDetail",
  examples: [
    {
      ...example,
      grouping: {
        algorithm: "v2",
        compatible_with: [],
        data: { method: "backtrace", frames: ["src/cart.js:total"] },
      },
    },
  ],
})
export type GroupDetailView = typeof GroupDetailView.Type

/** A token of a search that has the form of a filter and is none: it was searched for as text. */
export const SearchHintView = Schema.Struct({
  token: described("The token as it stands in the query", Schema.String),
  did_you_mean: described(
    "A filter that could stand in its place; null where none is near",
    Schema.NullOr(Schema.String),
  ),
}).annotations({
  identifier: "SearchHint",
  examples: [{ token: "enviroment:production", did_you_mean: "environment:production" }],
})
export type SearchHintView = typeof SearchHintView.Type

/** What may be sent to mute a group: nothing for ever; where both are given `occurrences` wins. */
export const GroupMute = Schema.Struct({
  occurrences: described(
    "After so many more reports notifications resume; wins over `snooze_until`",
    optional(
      Schema.Number.pipe(Schema.filter(isOccurrences)).annotations({
        message: () => ({ message: notOccurrences, override: true }),
        jsonSchema: { type: "integer", minimum: 1, maximum: maxOccurrences },
      }),
    ),
  ),
  snooze_until: described(
    "When notifications resume: a date or an ISO 8601 timestamp in the future",
    optional(DateParam),
  ),
}).annotations({ identifier: "GroupMute", examples: [{ occurrences: 100 }] })
export type GroupMute = typeof GroupMute.Type

/** The groups of a bulk change. */
export const GroupIds = Schema.Struct({
  group_ids: described(
    "The groups that are meant, at most 1,000; others are skipped",
    list({
      isItem: Schema.is(Schema.Int),
      of: "integers",
      problem: selectionProblem,
      minItems: 1,
      maxItems: maxIds,
      item: { type: "integer" },
    }),
  ),
}).annotations({ identifier: "GroupIds", examples: [{ group_ids: [42, 43] }] })
export type GroupIds = typeof GroupIds.Type

export const BulkResult = Schema.Struct({
  processed: described("How many groups were changed", Schema.Int),
}).annotations({ identifier: "BulkResult", examples: [{ processed: 2 }] })
export type BulkResult = typeof BulkResult.Type

export const MergeResult = Schema.Struct({
  processed: described("How many groups were merged", Schema.Int),
  merged_into_id: described("The group that they are part of now", Schema.Int),
}).annotations({ identifier: "MergeResult", examples: [{ processed: 2, merged_into_id: 41 }] })
export type MergeResult = typeof MergeResult.Type

/** Who is to see to a group. */
export const Assignment = Schema.Struct({
  user_id: described("A user with access to the project", IdValue),
}).annotations({ identifier: "Assignment", examples: [{ user_id: 3 }] })
export type Assignment = typeof Assignment.Type

export const groupView = (group: ListedGroup, now: DateTime.Utc): GroupView => {
  const source = muteSource(group, now)
  const { mute, projectMute } = activeMutes(group, now)
  const condition = mute?.condition
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
    muted_at: mute?.at ?? null,
    muter_id: mute?.by ?? null,
    muted_until: condition?._tag === "Until" ? condition.until : null,
    muted_until_reports_count: condition?._tag === "UntilReportsCount" ? condition.reportsCount : null,
    project_muted_at: projectMute?.at ?? null,
    project_muted_until: projectMute?.until ?? null,
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
