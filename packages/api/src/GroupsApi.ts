import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { GroupListParameters } from "@errata/core/group"
import { SearchQuery } from "@errata/core/search"
import { StorableText } from "@errata/core/validation"
import { Schema } from "effect"
import { Authentication } from "./Authentication.js"
import {
  Assignment,
  BulkResult,
  GroupDetailView,
  GroupIds,
  GroupMute,
  GroupView,
  MergeResult,
  SearchHintView,
} from "./GroupView.js"
import { described } from "./Json.js"
import { withOptionalBody } from "./OpenApiDocument.js"
import { pageWith } from "./Page.js"
import { groupIdParam, optional, pageParams, projectIdParam, TimeParam } from "./Params.js"
import {
  BodyProblem,
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
      Schema.String.annotations({ message: () => "must be a string" }).pipe(
        Schema.maxLength(SearchQuery.maxQueryLength, {
          message: () => StorableText.tooLong(SearchQuery.maxQueryLength),
        }),
      ),
    ),
  ),
  status: described(
    "Return only groups in this state",
    optional(
      Schema.Literal("unresolved", "resolved", "muted", "unmuted", "all").annotations({
        message: () => ({ message: GroupListParameters.notStatus, override: true }),
      }),
    ),
  ),
  resolved: described(
    "Return only resolved groups, or only unresolved groups",
    optional(
      Schema.Literal("true", "false", "resolved", "unresolved", "1", "0").annotations({
        message: () => ({ message: GroupListParameters.notResolved, override: true }),
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

const list = HttpApiEndpoint.get("list")`/projects/${projectIdParam}/groups`
  .setUrlParams(GroupListParams)
  .addSuccess(GroupsPage)
  .addError(ValidationFailed)
  .annotate(OpenApi.Summary, "List, filter and search the groups of a project")

const get = HttpApiEndpoint.get("get")`/projects/${projectIdParam}/groups/${groupIdParam}`
  .addSuccess(GroupDetailView)
  .annotate(OpenApi.Summary, "Get a group and its grouping")

const resolve = HttpApiEndpoint.post(
  "resolve",
)`/projects/${projectIdParam}/groups/${groupIdParam}/resolve`.annotate(OpenApi.Summary, "Resolve a group")

const unresolve = HttpApiEndpoint.del(
  "unresolve",
)`/projects/${projectIdParam}/groups/${groupIdParam}/resolve`.annotate(OpenApi.Summary, "Reopen a group")

const mute = HttpApiEndpoint.post("mute")`/projects/${projectIdParam}/groups/${groupIdParam}/mute`
  .setPayload(GroupMute)
  .addError(BodyProblem)
  .annotate(OpenApi.Summary, "Mute a group without limit, for a number of reports, or until a time")
  .annotate(OpenApi.Transform, withOptionalBody)

const unmute = HttpApiEndpoint.del(
  "unmute",
)`/projects/${projectIdParam}/groups/${groupIdParam}/mute`.annotate(OpenApi.Summary, "Unmute a group")

const bulkResolve = HttpApiEndpoint.post(
  "bulkResolve",
)`/projects/${projectIdParam}/groups/${groupIdParam}/bulk_resolve`
  .setPayload(GroupIds)
  .addSuccess(BulkResult)
  .addError(BodyProblem)
  .annotate(OpenApi.Summary, "Resolve many groups")

const bulkUnresolve = HttpApiEndpoint.del(
  "bulkUnresolve",
)`/projects/${projectIdParam}/groups/${groupIdParam}/bulk_resolve`
  .setPayload(GroupIds)
  .addSuccess(BulkResult)
  .addError(BodyProblem)
  .annotate(OpenApi.Summary, "Reopen many groups")

const bulkMute = HttpApiEndpoint.post(
  "bulkMute",
)`/projects/${projectIdParam}/groups/${groupIdParam}/bulk_mute`
  .setPayload(GroupIds)
  .addSuccess(BulkResult)
  .addError(BodyProblem)
  .annotate(OpenApi.Summary, "Mute many groups without limit")

const bulkUnmute = HttpApiEndpoint.del(
  "bulkUnmute",
)`/projects/${projectIdParam}/groups/${groupIdParam}/bulk_mute`
  .setPayload(GroupIds)
  .addSuccess(BulkResult)
  .addError(BodyProblem)
  .annotate(OpenApi.Summary, "Unmute many groups")

const bulkMerge = HttpApiEndpoint.post(
  "bulkMerge",
)`/projects/${projectIdParam}/groups/${groupIdParam}/bulk_merge`
  .setPayload(GroupIds)
  .addSuccess(MergeResult)
  .addError(BodyProblem)
  .annotate(OpenApi.Summary, "Merge groups into the one in the path")

const assign = HttpApiEndpoint.put("assign")`/projects/${projectIdParam}/groups/${groupIdParam}/assignee`
  .setPayload(Assignment)
  .addError(BodyProblem)
  .annotate(OpenApi.Summary, "Assign a group to a user with access to its project")

const unassign = HttpApiEndpoint.del(
  "unassign",
)`/projects/${projectIdParam}/groups/${groupIdParam}/assignee`.annotate(
  OpenApi.Summary,
  "Remove the assignee of a group",
)

/** The groups of a project and what its members decide about them. */
export const GroupsApi = HttpApiGroup.make("groups")
  .add(list)
  .add(get)
  .add(resolve)
  .add(unresolve)
  .add(mute)
  .add(unmute)
  .add(bulkResolve)
  .add(bulkUnresolve)
  .add(bulkMute)
  .add(bulkUnmute)
  .add(bulkMerge)
  .add(assign)
  .add(unassign)
  .addError(Forbidden)
  .addError(NotFound)
  .addError(InternalServerError)
  .addError(ServiceUnavailable)
  .middleware(Authentication)
  .annotate(OpenApi.Description, "Groups of a project, and their triage.")
