import { GroupListParameters, GroupSort, maxListedProjects } from "@errata/core/group"
import { SearchQuery } from "@errata/core/search"
import { StorableText } from "@errata/core/validation"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication } from "./Authentication.js"
import {
  Assignment,
  BulkMute,
  BulkResolve,
  BulkResult,
  GroupDetailView,
  GroupIds,
  GroupMute,
  GroupResolve,
  GroupsCount,
  GroupView,
  IssueLink,
  MergeResult,
  SearchHintView,
} from "./GroupView.js"
import { described } from "./Json.js"
import { withOptionalBody } from "./OpenApiDocument.js"
import { pageWith } from "./Page.js"
import { groupIdParam, idsParam, optional, pageParams, projectIdParam, TimeParam } from "./Params.js"
import {
  bodyProblems,
  Forbidden,
  InternalServerError,
  NotFound,
  ServiceUnavailable,
  ValidationFailed,
} from "./Problem.js"

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
    "The order: by id, by the hour of the last report, or by steps of `reports_count` or `users_count` (2, 5, 10, 20, 50, …). Within an hour or a step, the newest group is first. A cursor is only valid for its own order",
    optional(Schema.Literals(GroupSort.groupSorts).annotate({ message: GroupSort.notGroupSort })),
  ),
  ...pageParams,
}

export const GroupListParams = Schema.Struct(listParams)
export type GroupListParams = typeof GroupListParams.Type

const hintsField = {
  hints: described(
    "Tokens of the query that look like filters but were searched for as text. Absent if there are none",
    optional(Schema.Array(SearchHintView)),
  ),
}

const inOrder = "in the order of `sort`"

const GroupsPage = pageWith("groups", GroupView, hintsField, inOrder)

const OwnGroupsPage = pageWith(
  "groups",
  GroupView,
  {
    ...hintsField,
    skipped_project_ids: described(
      "Projects that did not answer in time, and whose groups are not in the list. Absent if there are none",
      optional(Schema.Array(Schema.Int)),
    ),
  },
  inOrder,
  "OwnGroupsPage",
)

const errors = [Forbidden, NotFound, InternalServerError, ServiceUnavailable] as const

const list = HttpApiEndpoint.get("list", "/projects/:project_id/groups", {
  params: { project_id: projectIdParam },
  query: GroupListParams,
  success: GroupsPage,
  error: [...errors, ValidationFailed],
}).annotate(OpenApi.Summary, "List, filter and search the groups of a project")

const listAll = HttpApiEndpoint.get("listAll", "/groups", {
  query: Schema.Struct({
    ...listParams,
    project_ids: optional(
      idsParam(
        maxListedProjects,
        `Return only groups of these projects, e.g. \`1,2\`. The newest ${maxListedProjects} projects unless given`,
      ),
    ),
  }),
  success: OwnGroupsPage,
  error: [Forbidden, InternalServerError, ServiceUnavailable, ValidationFailed],
}).annotate(OpenApi.Summary, "List, filter and search the groups of all your projects")

const count = HttpApiEndpoint.get("count", "/projects/:project_id/groups/count", {
  params: { project_id: projectIdParam },
  query: Schema.Struct(filterParams),
  success: GroupsCount,
  error: [...errors, ValidationFailed],
}).annotate(OpenApi.Summary, "Count the groups of a project that match, up to 1,000")

const get = HttpApiEndpoint.get("get", "/projects/:project_id/groups/:group_id", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  success: GroupDetailView,
  error: errors,
}).annotate(OpenApi.Summary, "Get a group and its grouping")

const remove = HttpApiEndpoint.delete("remove", "/projects/:project_id/groups/:group_id", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  error: errors,
}).annotate(OpenApi.Summary, "Delete a group, its merged groups and their reports (admin)")

const resolve = HttpApiEndpoint.post("resolve", "/projects/:project_id/groups/:group_id/resolve", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  payload: GroupResolve,
  error: [...errors, ...bodyProblems],
})
  .annotate(OpenApi.Summary, "Resolve a group, also in a release that has the fix")
  .annotate(OpenApi.Transform, withOptionalBody)

const unresolve = HttpApiEndpoint.delete("unresolve", "/projects/:project_id/groups/:group_id/resolve", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  error: errors,
}).annotate(OpenApi.Summary, "Reopen a group")

const mute = HttpApiEndpoint.post("mute", "/projects/:project_id/groups/:group_id/mute", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  payload: GroupMute,
  error: [...errors, ...bodyProblems],
})
  .annotate(
    OpenApi.Summary,
    "Mute a group without limit, for a number of reports, until a time, or until the next release",
  )
  .annotate(OpenApi.Transform, withOptionalBody)

const unmute = HttpApiEndpoint.delete("unmute", "/projects/:project_id/groups/:group_id/mute", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  error: errors,
}).annotate(OpenApi.Summary, "Unmute a group")

const bulkResolve = HttpApiEndpoint.post(
  "bulkResolve",
  "/projects/:project_id/groups/:group_id/bulk_resolve",
  {
    params: { project_id: projectIdParam, group_id: groupIdParam },
    payload: BulkResolve,
    success: BulkResult,
    error: [...errors, ...bodyProblems],
  },
).annotate(OpenApi.Summary, "Resolve the groups in `group_ids`, also in a release that has the fix")

const bulkUnresolve = HttpApiEndpoint.delete(
  "bulkUnresolve",
  "/projects/:project_id/groups/:group_id/bulk_resolve",
  {
    params: { project_id: projectIdParam, group_id: groupIdParam },
    payload: GroupIds,
    success: BulkResult,
    error: [...errors, ...bodyProblems],
  },
).annotate(OpenApi.Summary, "Reopen the groups in `group_ids`")

const bulkMute = HttpApiEndpoint.post("bulkMute", "/projects/:project_id/groups/:group_id/bulk_mute", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  payload: BulkMute,
  success: BulkResult,
  error: [...errors, ...bodyProblems],
}).annotate(OpenApi.Summary, "Mute the groups in `group_ids` without limit, or until the next release")

const bulkUnmute = HttpApiEndpoint.delete("bulkUnmute", "/projects/:project_id/groups/:group_id/bulk_mute", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  payload: GroupIds,
  success: BulkResult,
  error: [...errors, ...bodyProblems],
}).annotate(OpenApi.Summary, "Unmute the groups in `group_ids`")

const bulkMerge = HttpApiEndpoint.post("bulkMerge", "/projects/:project_id/groups/:group_id/bulk_merge", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  payload: GroupIds,
  success: MergeResult,
  error: [...errors, ...bodyProblems],
}).annotate(OpenApi.Summary, "Merge the groups in `group_ids` into the group in the path")

const assign = HttpApiEndpoint.put("assign", "/projects/:project_id/groups/:group_id/assignee", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  payload: Assignment,
  error: [...errors, ...bodyProblems],
}).annotate(OpenApi.Summary, "Assign a group to a user with access to its project")

const unassign = HttpApiEndpoint.delete("unassign", "/projects/:project_id/groups/:group_id/assignee", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  error: errors,
}).annotate(OpenApi.Summary, "Remove the assignee of a group")

const linkIssue = HttpApiEndpoint.put("linkIssue", "/projects/:project_id/groups/:group_id/issue", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  payload: IssueLink,
  error: [...errors, ...bodyProblems],
}).annotate(OpenApi.Summary, "Link a group to its issue in another tool")

const unlinkIssue = HttpApiEndpoint.delete("unlinkIssue", "/projects/:project_id/groups/:group_id/issue", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  error: errors,
}).annotate(OpenApi.Summary, "Remove the link to an issue from a group")

/** The groups of a project and what its members decide about them. */
export const GroupsApi = HttpApiGroup.make("groups")
  .add(
    list,
    listAll,
    count,
    get,
    remove,
    resolve,
    unresolve,
    mute,
    unmute,
    bulkResolve,
    bulkUnresolve,
    bulkMute,
    bulkUnmute,
    bulkMerge,
    assign,
    unassign,
    linkIssue,
    unlinkIssue,
  )
  .middleware(Authentication)
  .annotate(OpenApi.Description, "Groups of a project, and their triage.")
