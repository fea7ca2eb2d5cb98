import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
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
import { groupIdParam, optional, projectIdParam } from "./Params.js"
import { bodyProblems, instanceProblems, resourceProblems, ValidationFailed } from "./Problem.js"
import { GroupCountParams, GroupListParams, OwnGroupListParams } from "./Queries.js"

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

const list = HttpApiEndpoint.get("list", "/projects/:project_id/groups", {
  params: { project_id: projectIdParam },
  query: GroupListParams,
  success: GroupsPage,
  error: [...resourceProblems, ValidationFailed],
}).annotate(OpenApi.Summary, "List, filter and search the groups of a project")

const listAll = HttpApiEndpoint.get("listAll", "/groups", {
  query: OwnGroupListParams,
  success: OwnGroupsPage,
  error: [...instanceProblems, ValidationFailed],
}).annotate(OpenApi.Summary, "List, filter and search the groups of all your projects")

const count = HttpApiEndpoint.get("count", "/projects/:project_id/groups/count", {
  params: { project_id: projectIdParam },
  query: GroupCountParams,
  success: GroupsCount,
  error: [...resourceProblems, ValidationFailed],
}).annotate(OpenApi.Summary, "Count the groups of a project that match, up to 1,000")

const get = HttpApiEndpoint.get("get", "/projects/:project_id/groups/:group_id", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  success: GroupDetailView,
  error: resourceProblems,
}).annotate(OpenApi.Summary, "Get a group and its grouping")

const remove = HttpApiEndpoint.delete("remove", "/projects/:project_id/groups/:group_id", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  error: resourceProblems,
}).annotate(OpenApi.Summary, "Delete a group, its merged groups and their reports (admin)")

const resolve = HttpApiEndpoint.post("resolve", "/projects/:project_id/groups/:group_id/resolve", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  payload: GroupResolve,
  error: [...resourceProblems, ...bodyProblems],
})
  .annotate(OpenApi.Summary, "Resolve a group, also in a release that has the fix")
  .annotate(OpenApi.Transform, withOptionalBody)

const unresolve = HttpApiEndpoint.delete("unresolve", "/projects/:project_id/groups/:group_id/resolve", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  error: resourceProblems,
}).annotate(OpenApi.Summary, "Reopen a group")

const mute = HttpApiEndpoint.post("mute", "/projects/:project_id/groups/:group_id/mute", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  payload: GroupMute,
  error: [...resourceProblems, ...bodyProblems],
})
  .annotate(
    OpenApi.Summary,
    "Mute a group without limit, for a number of reports, until a time, or until the next release",
  )
  .annotate(OpenApi.Transform, withOptionalBody)

const unmute = HttpApiEndpoint.delete("unmute", "/projects/:project_id/groups/:group_id/mute", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  error: resourceProblems,
}).annotate(OpenApi.Summary, "Unmute a group")

const bulkResolve = HttpApiEndpoint.post(
  "bulkResolve",
  "/projects/:project_id/groups/:group_id/bulk_resolve",
  {
    params: { project_id: projectIdParam, group_id: groupIdParam },
    payload: BulkResolve,
    success: BulkResult,
    error: [...resourceProblems, ...bodyProblems],
  },
).annotate(OpenApi.Summary, "Resolve the groups in `group_ids`, also in a release that has the fix")

const bulkUnresolve = HttpApiEndpoint.delete(
  "bulkUnresolve",
  "/projects/:project_id/groups/:group_id/bulk_resolve",
  {
    params: { project_id: projectIdParam, group_id: groupIdParam },
    payload: GroupIds,
    success: BulkResult,
    error: [...resourceProblems, ...bodyProblems],
  },
).annotate(OpenApi.Summary, "Reopen the groups in `group_ids`")

const bulkMute = HttpApiEndpoint.post("bulkMute", "/projects/:project_id/groups/:group_id/bulk_mute", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  payload: BulkMute,
  success: BulkResult,
  error: [...resourceProblems, ...bodyProblems],
}).annotate(OpenApi.Summary, "Mute the groups in `group_ids` without limit, or until the next release")

const bulkUnmute = HttpApiEndpoint.delete("bulkUnmute", "/projects/:project_id/groups/:group_id/bulk_mute", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  payload: GroupIds,
  success: BulkResult,
  error: [...resourceProblems, ...bodyProblems],
}).annotate(OpenApi.Summary, "Unmute the groups in `group_ids`")

const bulkMerge = HttpApiEndpoint.post("bulkMerge", "/projects/:project_id/groups/:group_id/bulk_merge", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  payload: GroupIds,
  success: MergeResult,
  error: [...resourceProblems, ...bodyProblems],
}).annotate(OpenApi.Summary, "Merge the groups in `group_ids` into the group in the path")

const assign = HttpApiEndpoint.put("assign", "/projects/:project_id/groups/:group_id/assignee", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  payload: Assignment,
  error: [...resourceProblems, ...bodyProblems],
}).annotate(OpenApi.Summary, "Assign a group to a user with access to its project")

const unassign = HttpApiEndpoint.delete("unassign", "/projects/:project_id/groups/:group_id/assignee", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  error: resourceProblems,
}).annotate(OpenApi.Summary, "Remove the assignee of a group")

const linkIssue = HttpApiEndpoint.put("linkIssue", "/projects/:project_id/groups/:group_id/issue", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  payload: IssueLink,
  error: [...resourceProblems, ...bodyProblems],
}).annotate(OpenApi.Summary, "Link a group to its issue in another tool")

const unlinkIssue = HttpApiEndpoint.delete("unlinkIssue", "/projects/:project_id/groups/:group_id/issue", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  error: resourceProblems,
}).annotate(OpenApi.Summary, "Remove the link to an issue from a group")

/** The groups of a project, and changes of their state. */
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
  .annotate(OpenApi.Description, "Groups of a project, and their triage.")
