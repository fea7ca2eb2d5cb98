/** The queries of the contract. They load nothing of HTTP. */
import { maxGroups, maxSteps } from "@errata/core/activity"
import { GroupListParameters, GroupSort, maxListedProjects } from "@errata/core/group"
import { SearchQuery } from "@errata/core/search"
import { StorableText } from "@errata/core/validation"
import { DeliveryStatus, WebhookEvent } from "@errata/core/webhook"
import { Schema } from "effect"
import { described } from "./Json.js"
import {
  afterParam,
  BooleanParam,
  idFilter,
  idsParam,
  limitParam,
  oneOf,
  optional,
  pageParams,
  Text,
  TimeParam,
} from "./Params.js"
import { RetentionKind } from "./RetentionView.js"

/** The query of lists without filters. */
export const PageParams = Schema.Struct(pageParams)

const maxPrefix = 200

/** The filters of lists and counts of groups. */
const filterParams = {
  query: described(
    "A search expression, e.g. `is:unresolved environment:production timeout`",
    optional(
      Schema.String.annotate({ message: "must be a string" }).check(
        Schema.isMaxLength(SearchQuery.maxQueryLength, {
          message: StorableText.tooLong(SearchQuery.maxQueryLength),
        }),
      ),
    ),
  ),
  status: described(
    "Return only groups in this state",
    optional(
      Schema.Literals(["unresolved", "resolved", "muted", "unmuted", "all"]).annotate({
        message: GroupListParameters.notStatus,
      }),
    ),
  ),
  resolved: described(
    "Return only resolved groups, or only unresolved groups",
    optional(
      Schema.Literals(["true", "false", "resolved", "unresolved", "1", "0"]).annotate({
        message: GroupListParameters.notResolved,
      }),
    ),
  ),
  since: described(
    "Return groups that last occurred at this time or later: a date, an ISO 8601 timestamp, or a time span before now, e.g. 24h",
    optional(TimeParam),
  ),
  until: described(
    "Return groups that last occurred at this time or earlier: a date, an ISO 8601 timestamp, or a time span before now",
    optional(TimeParam),
  ),
}

const listParams = {
  ...filterParams,
  sort: described(
    "The order: by id, by the last report, by `reports_count` or by `users_count`. It is exact within a page. Pages follow each other by hours, or by steps of the count (2, 5, 10, 20, 50, …). A cursor is only valid for its own order",
    optional(Schema.Literals(GroupSort.groupSorts).annotate({ message: GroupSort.notGroupSort })),
  ),
  include: described(
    "`last_report` adds `last_environment` and `last_release_version` to each group",
    optional(oneOf("last_report")),
  ),
  ...pageParams,
}

export const GroupListParams = Schema.Struct(listParams)
export type GroupListParams = typeof GroupListParams.Type

export const OwnGroupListParams = Schema.Struct({
  ...listParams,
  project_ids: optional(
    idsParam(
      maxListedProjects,
      `Return only groups of these projects, e.g. \`1,2\`. The newest ${maxListedProjects} projects unless given`,
    ),
  ),
})

export const GroupCountParams = Schema.Struct(filterParams)

/** The span and the steps of a series. */
export const ActivityParams = Schema.Struct({
  since: described(
    `Start of the series: a date, an ISO 8601 timestamp, or a time span before now. By default 24 hours, or 30 days for \`step=day\`, before now. At most ${maxSteps} steps before \`until\``,
    optional(TimeParam),
  ),
  until: described("End of the series, by default now", optional(TimeParam)),
  step: described("Length of a step, by default `hour`", optional(oneOf("hour", "day"))),
  group_ids: optional(
    idsParam(
      maxGroups,
      `Ids of groups, separated by commas, at most ${maxGroups}. Without them, the series is the project's`,
    ),
  ),
})

/** The filter of a list of projects. */
export const ProjectListParams = Schema.Struct({
  name: described("Return only the project with exactly this name", optional(Text)),
  ...pageParams,
})

/** The filter of a list of releases. */
export const ReleaseListParams = Schema.Struct({
  version: described("Return only the release with exactly this version", optional(Text)),
  ...pageParams,
})

/** The filters of a list of reports. */
export const ReportListParams = Schema.Struct({
  since: described(
    "Return reports that occurred at this time or later: a date, an ISO 8601 timestamp, or a time span before now, e.g. 24h",
    optional(TimeParam),
  ),
  until: described(
    "Return reports that occurred before this time: a date, an ISO 8601 timestamp, or a time span before now",
    optional(TimeParam),
  ),
  ...pageParams,
})

/** Parameters of every endpoint that returns one report. */
export const ReportParams = Schema.Struct({
  frames: described(
    "`raw` returns frames as received. By default, frames are mapped with source maps",
    optional(oneOf("resolved", "raw")),
  ),
  include: described(
    "`navigation` adds the ids of the first, previous, next and last report of the group",
    optional(oneOf("navigation")),
  ),
})

/** The beginning of the values of a tag. */
export const TagCompletionParams = Schema.Struct({
  prefix: described(
    "Return only values that begin with this text, in any case",
    optional(
      Schema.String.annotate({ message: "must be a string" }).check(
        Schema.isMaxLength(maxPrefix, { message: StorableText.tooLong(maxPrefix) }),
      ),
    ),
  ),
  limit: limitParam(25, 25),
})

/** The data that a run deletes. */
export const RetentionRunParams = Schema.Struct({
  kind: optional(RetentionKind.annotate({ description: "Data to delete. Default: `errors`" })),
})

/** The filters of a list of deliveries. */
export const DeliveryListParams = Schema.Struct({
  event: described(
    "Return only deliveries of this event",
    optional(
      WebhookEvent.annotate({
        message: "must be the name of an event",
      }),
    ),
  ),
  success: described("Return only deliveries that succeeded, or only others", optional(BooleanParam)),
  ...pageParams,
})
export type DeliveryListParams = typeof DeliveryListParams.Type

/** The filters of a list of notifications. */
export const NotificationListParams = Schema.Struct({
  target_id: idFilter("Return only notifications to this target"),
  rule_id: idFilter("Return only notifications of this rule"),
  group_id: idFilter("Return only notifications about this group"),
  status: described(
    "Return only notifications in this state",
    optional(DeliveryStatus.annotate({ message: `must be one of ${DeliveryStatus.literals.join(", ")}` })),
  ),
  ...pageParams,
})

/** A page of paused addresses. */
export const PausedAddressParams = Schema.Struct({ after: afterParam, limit: limitParam(25, 100) })

/** The query of an endpoint that has one. */
export const queryOf = (group: string, endpoint: string): Schema.Codec<unknown, unknown> =>
  filters[group]?.[endpoint] ?? PageParams

// internal

const filters: Readonly<Record<string, Readonly<Record<string, Schema.Codec<unknown, unknown>>>>> = {
  activity: { get: ActivityParams },
  projects: { list: ProjectListParams },
  groups: { list: GroupListParams, listAll: OwnGroupListParams, count: GroupCountParams },
  tags: { values: TagCompletionParams },
  releases: { list: ReleaseListParams },
  reports: {
    list: ReportListParams,
    get: ReportParams,
    latest: ReportParams,
    findByEventId: ReportParams,
    findAnywhere: ReportParams,
  },
  deliveries: { list: DeliveryListParams },
  notifications: { list: NotificationListParams },
  pausedAddresses: { page: PausedAddressParams },
  retention: { run: RetentionRunParams },
}
