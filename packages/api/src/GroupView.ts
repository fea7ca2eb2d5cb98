/** Groups in the API: as items of a list, and alone with their grouping. */
import { Severity } from "@errata/core/event"
import {
  type Group,
  groupFields,
  isOccurrences,
  type ListedGroup,
  maxOccurrences,
  nextRelease,
  nextReleaseProblem,
  occurrencesProblem,
  releaseProblem,
  selectionProblem,
} from "@errata/core/group"
import { fingerprint, GroupingAlgorithm, GroupingData } from "@errata/core/grouping"
import type { LatestReport } from "@errata/core/ports"
import type { SearchHint } from "@errata/core/search"
import { maxIds } from "@errata/core/validation"
import { type DateTime, Schema } from "effect"
import { flag, int, intOrNull, text, textOrNull, time, timeOrNull } from "./Fields.js"
import { described, named, opaque } from "./Json.js"
import { IdValue, list, optional, Text, TimeParam } from "./Params.js"

const fields = {
  id: int("Id of the group"),
  project_id: int("Id of the project"),
  error_type: text("Error type of the first report, e.g. `TypeError`"),
  error_message: text("Error message of the first report"),
  culprit: text("Transaction or frame that caused the first report. Empty if unknown"),
  fingerprint: text("Algorithm and key of the grouping, e.g. `v2:9f86d0…`"),
  severity: described("Highest severity of all reports in the group", Severity.Severity),
  occurred_at: time("Equals `last_occurred_at`"),
  first_occurred_at: time("Time at which the oldest report occurred"),
  last_occurred_at: time("Time at which the latest report occurred"),
  reports_count: int("Number of reports ever recorded, including deleted ones"),
  users_count: int(
    "Number of users whose reports are in the group, by id, else email address, username or IP address. Includes deleted reports",
  ),
  users_count_estimated: flag(
    "True if `users_count` is an estimate with a standard error of at most 3.2 %. Numbers up to 1,000 are exact",
  ),
  notes_count: int("Number of notes"),
  resolved_at: timeOrNull("Time at which it was resolved, or null"),
  resolver_id: intOrNull("Id of the user who resolved it, or null"),
  resolved_in_release: textOrNull(
    "Release that has the fix, if it was resolved in one: a version, or `next` for any release that is first seen after `resolved_at`. Reports of older releases do not reopen the group",
  ),
  reopened_at: timeOrNull("Time at which a new report reopened it, or null. Null again when it is resolved"),
  muted_at: timeOrNull("Time at which the group itself was muted, or null"),
  muter_id: intOrNull("Id of the user who muted it, or null"),
  muted_until: timeOrNull("End of a mute with an end time, or null"),
  muted_until_reports_count: intOrNull(
    "Number of reports at which notifications resume, or null. A merge adds the reports of its sources, and an unmerge subtracts them",
  ),
  muted_until_release: described(
    "`next` if the mute ends with the first report of a release that is first seen after `muted_at`, or null",
    Schema.NullOr(Schema.Literal(nextRelease)),
  ),
  project_muted_at: timeOrNull("Time at which a mute of the project included the group, or null"),
  project_muted_until: timeOrNull("End of the project's mute. Null without an end"),
  mute_source: described(
    "Source of the current mute. Null if the group is not muted",
    Schema.NullOr(Schema.Literals(["manual", "project", "manual_and_project"])),
  ),
  resolved: flag("True if the group is resolved"),
  muted: flag("True if the group is currently muted"),
  assignee_id: intOrNull("Id of the assigned user, or null"),
  issue_url: textOrNull("Issue of the group in a tracker of issues, or null"),
  web_url: textOrNull("Page of the group in the dashboard. Null if the instance does not know its address"),
  created_at: time("Time at which the first report was recorded"),
  updated_at: time("Time of the last change"),
}

const example = {
  id: 42,
  project_id: 1,
  error_type: "TypeError",
  error_message: "Cannot read properties of undefined (reading 'price')",
  culprit: "src/cart.js in total",
  fingerprint: "v2:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  severity: "error",
  occurred_at: "2026-01-05T09:30:00.000Z",
  first_occurred_at: "2026-01-02T03:04:05.678Z",
  last_occurred_at: "2026-01-05T09:30:00.000Z",
  reports_count: 17,
  users_count: 9,
  users_count_estimated: false,
  notes_count: 1,
  resolved_at: null,
  resolver_id: null,
  resolved_in_release: null,
  reopened_at: null,
  muted_at: "2026-01-05T10:00:00.000Z",
  muter_id: 3,
  muted_until: null,
  muted_until_reports_count: 117,
  muted_until_release: null,
  project_muted_at: null,
  project_muted_until: null,
  mute_source: "manual",
  resolved: false,
  muted: true,
  assignee_id: 3,
  issue_url: "https://issues.example.com/SHOP-7",
  web_url: "https://errata.example.com/projects/1/groups/42",
  created_at: "2026-01-02T03:04:06.000Z",
  updated_at: "2026-01-05T10:00:00.000Z",
} as const

const ofLastReport = (what: string) =>
  described(
    `${what} of the latest report. Empty if unknown. Absent without \`include=last_report\`, or without reports`,
    optional(Schema.String),
  )

/** A group of a list, as REST shows it. */
export const GroupView = Schema.Struct({
  ...fields,
  last_environment: ofLastReport("Environment"),
  last_release_version: ofLastReport("Version of the application"),
}).pipe(named("Group", { ...example, last_environment: "production", last_release_version: "shop@1.4.0" }))
export type GroupView = typeof GroupView.Type

/** A group with its grouping, as REST shows it. */
export const GroupDetailView = Schema.Struct({
  ...fields,
  grouping: described(
    "The grouping of the reports",
    Schema.Struct({
      algorithm: described("Grouping algorithm", GroupingAlgorithm),
      compatible_with: described(
        '`["v2"]` for a legacy `v1` group that v2 continues, otherwise empty',
        Schema.Array(Schema.String),
      ),
      data: described("Common properties of the reports, depending on the method", GroupingData),
    }),
  ),
}).pipe(
  named("GroupDetail", {
    ...example,
    grouping: {
      algorithm: "v2",
      compatible_with: [],
      data: { method: "backtrace", frames: ["src/cart.js:total"] },
    },
  }),
)
export type GroupDetailView = typeof GroupDetailView.Type

export const GroupsCount = Schema.Struct({
  count: int("Number of groups that match, at most 1,000"),
  capped: flag("True if more than 1,000 groups match"),
}).pipe(named("GroupsCount", { count: 17, capped: false }))

/** A search token that looks like a filter but is none. The search used it as text. */
export const SearchHintView = Schema.Struct({
  token: text("The token in the query"),
  did_you_mean: textOrNull("A similar filter, or null"),
}).pipe(named("SearchHint", { token: "enviroment:production", did_you_mean: "environment:production" }))
export type SearchHintView = typeof SearchHintView.Type

/** The release in which a group is resolved. */
const in_release = described(
  "Release that has the fix: a version, or `next` for any release that is first seen after the resolution. Only reports of this release and of newer ones reopen the group. Without it, every new report does",
  optional(
    Schema.String.annotate({ message: "must be a string" }).check(
      Schema.makeFilter((release) => releaseProblem(release) ?? true),
    ),
  ),
)

/** The body of a request that resolves a group. */
export const GroupResolve = Schema.Struct({ in_release }).pipe(named("GroupResolve", { in_release: "next" }))
export type GroupResolve = typeof GroupResolve.Type

/** The release that ends a mute. */
const untilRelease = Schema.Literal(nextRelease).annotate({ message: nextReleaseProblem })

/** The body of a request that mutes a group. An empty one mutes it permanently. */
export const GroupMute = Schema.Struct({
  occurrences: described(
    "Number of further reports after which the mute ends. Takes precedence over `snooze_until`",
    optional(
      opaque(
        (value): value is number => typeof value === "number" && isOccurrences(value),
        { type: "integer", minimum: 1, maximum: maxOccurrences },
        occurrencesProblem,
      ),
    ),
  ),
  snooze_until: described(
    "End of the mute: a date or an ISO 8601 timestamp in the future, or a time span, e.g. 7d",
    optional(TimeParam),
  ),
  until_release: described(
    "`next`: the mute ends with the first report of a release that is first seen after the mute. Not with another end",
    optional(untilRelease),
  ),
}).pipe(named("GroupMute", { occurrences: 100 }))
export type GroupMute = typeof GroupMute.Type

const group_ids = described(
  "Ids of at most 1,000 groups. Ids of other projects are skipped",
  list({
    isItem: Schema.is(Schema.Int),
    of: "integers",
    problem: selectionProblem,
    minItems: 1,
    maxItems: maxIds,
    item: { type: "integer" },
  }),
)

/** The groups to resolve, and the release that has the fix. */
export const BulkResolve = Schema.Struct({ group_ids, in_release }).pipe(
  named("BulkResolve", { group_ids: [42, 43], in_release: "next" }),
)
export type BulkResolve = typeof BulkResolve.Type

/** The groups to mute, and the end of the mute. */
export const BulkMute = Schema.Struct({
  group_ids,
  until_release: described(
    "`next`: each mute ends with the first report of a release that is first seen after the mute. Without it, the mutes have no end",
    optional(untilRelease),
  ),
}).pipe(named("BulkMute", { group_ids: [42, 43] }))
export type BulkMute = typeof BulkMute.Type

/** The groups of a bulk change. */
export const GroupIds = Schema.Struct({ group_ids }).pipe(named("GroupIds", { group_ids: [42, 43] }))
export type GroupIds = typeof GroupIds.Type

/** Number of groups that a bulk action changed. */
export const BulkResult = Schema.Struct({
  processed: int("Number of changed groups"),
}).pipe(named("BulkResult", { processed: 2 }))
export type BulkResult = typeof BulkResult.Type

/** The groups that a merge moved. */
export const MergeResult = Schema.Struct({
  processed: int("Number of merged groups"),
  merged_into_id: int("Id of the group that contains them now"),
  muted_until_reports_count: described(
    "Number of reports at which notifications of that group resume. Present only if the merge has raised it",
    optional(Schema.Int),
  ),
}).pipe(named("MergeResult", { processed: 2, merged_into_id: 41 }))
export type MergeResult = typeof MergeResult.Type

/** The user to assign a group to. */
export const Assignment = Schema.Struct({
  user_id: described("Id of a user with access to the project", IdValue),
}).pipe(named("Assignment", { user_id: 3 }))
export type Assignment = typeof Assignment.Type

/** The issue to link to a group. */
export const IssueLink = Schema.Struct({
  url: described("An http or https URL of at most 2,000 characters", Text),
}).pipe(named("IssueLink", { url: "https://issues.example.com/SHOP-7" }))
export type IssueLink = typeof IssueLink.Type

/** `address` is the public URL of the instance. */
export const groupView = (
  group: ListedGroup,
  now: DateTime.Utc,
  address: string | null,
  last?: LatestReport,
): GroupView => ({
  ...groupFields(group, fingerprint(group.grouping), now, address),
  ...(last !== undefined && {
    last_environment: last.environment,
    last_release_version: last.releaseVersion,
  }),
})

export const groupDetailView = (
  group: Group,
  now: DateTime.Utc,
  address: string | null,
): GroupDetailView => ({
  ...groupFields(group, fingerprint(group.grouping), now, address),
  grouping: {
    algorithm: group.grouping.algorithm,
    compatible_with: group.grouping.algorithm === "v1" ? ["v2"] : [],
    data: group.grouping.data,
  },
})

/** The `hints` of a list. Absent if there are none. */
export const hintFields = (
  hints: ReadonlyArray<SearchHint>,
): { readonly hints?: ReadonlyArray<SearchHintView> } =>
  hints.length === 0
    ? {}
    : { hints: hints.map(({ didYouMean, token }) => ({ token, did_you_mean: didYouMean })) }
