import { GroupListParameters } from "@errata/core/group"
import { SearchQuery } from "@errata/core/search"
import { StorableText } from "@errata/core/validation"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication } from "./Authentication.js"
import {
  Assignment,
  BulkResult,
  GroupDetailView,
  GroupIds,
  GroupMute,
  GroupView,
  IssueLink,
  MergeResult,
  SearchHintView,
} from "./GroupView.js"
import { described } from "./Json.js"
import { withOptionalBody } from "./OpenApiDocument.js"
import { pageWith } from "./Page.js"
import { groupIdParam, optional, pageParams, projectIdParam, TimeParam } from "./Params.js"
import {
  bodyProblems,
  Forbidden,
  InternalServerError,
  NotFound,
  ServiceUnavailable,
  ValidationFailed,
} from "./Problem.js"

export const GroupListParams = Schema.Struct({
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
  ...pageParams,
})
export type GroupListParams = typeof GroupListParams.Type

const GroupsPage = pageWith("groups", GroupView, {
  hints: described(
    "Tokens of the query that look like filters but were searched for as text. Absent if there are none",
    optional(Schema.Array(SearchHintView)),
  ),
})

const errors = [Forbidden, NotFound, InternalServerError, ServiceUnavailable] as const

const list = HttpApiEndpoint.get("list", "/projects/:project_id/groups", {
  params: { project_id: projectIdParam },
  query: GroupListParams,
  success: GroupsPage,
  error: [...errors, ValidationFailed],
}).annotate(OpenApi.Summary, "List, filter and search the groups of a project")

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
  error: errors,
}).annotate(OpenApi.Summary, "Resolve a group")

const unresolve = HttpApiEndpoint.delete("unresolve", "/projects/:project_id/groups/:group_id/resolve", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  error: errors,
}).annotate(OpenApi.Summary, "Reopen a group")

const mute = HttpApiEndpoint.post("mute", "/projects/:project_id/groups/:group_id/mute", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  payload: GroupMute,
  error: [...errors, ...bodyProblems],
})
  .annotate(OpenApi.Summary, "Mute a group without limit, for a number of reports, or until a time")
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
    payload: GroupIds,
    success: BulkResult,
    error: [...errors, ...bodyProblems],
  },
).annotate(OpenApi.Summary, "Resolve many groups")

const bulkUnresolve = HttpApiEndpoint.delete(
  "bulkUnresolve",
  "/projects/:project_id/groups/:group_id/bulk_resolve",
  {
    params: { project_id: projectIdParam, group_id: groupIdParam },
    payload: GroupIds,
    success: BulkResult,
    error: [...errors, ...bodyProblems],
  },
).annotate(OpenApi.Summary, "Reopen many groups")

const bulkMute = HttpApiEndpoint.post("bulkMute", "/projects/:project_id/groups/:group_id/bulk_mute", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  payload: GroupIds,
  success: BulkResult,
  error: [...errors, ...bodyProblems],
}).annotate(OpenApi.Summary, "Mute many groups without limit")

const bulkUnmute = HttpApiEndpoint.delete("bulkUnmute", "/projects/:project_id/groups/:group_id/bulk_mute", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  payload: GroupIds,
  success: BulkResult,
  error: [...errors, ...bodyProblems],
}).annotate(OpenApi.Summary, "Unmute many groups")

const bulkMerge = HttpApiEndpoint.post("bulkMerge", "/projects/:project_id/groups/:group_id/bulk_merge", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  payload: GroupIds,
  success: MergeResult,
  error: [...errors, ...bodyProblems],
}).annotate(OpenApi.Summary, "Merge groups into the one in the path")

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
