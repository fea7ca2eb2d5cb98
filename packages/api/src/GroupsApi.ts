import { HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { SearchQuery } from "@errata/core"
import { Schema } from "effect"
import { Authentication } from "./Authentication.js"
import { GroupDetailView, GroupMute, GroupView } from "./GroupView.js"
import { pageOf } from "./Page.js"
import { DateParam, groupIdParam, optional, pageParams, projectIdParam } from "./Params.js"
import {
  BadRequest,
  ContentTooLarge,
  Forbidden,
  InternalServerError,
  NotFound,
  ServiceUnavailable,
  UnsupportedMediaType,
  ValidationFailed,
} from "./Problem.js"

export const GroupListParams = Schema.Struct({
  /** A search expression. */
  query: optional(
    Schema.String.annotations({ message: () => "must be a string" }).pipe(
      Schema.maxLength(SearchQuery.maxQueryLength, {
        message: () => `is too long (maximum is ${SearchQuery.maxQueryLength} characters)`,
      }),
    ),
  ),
  status: optional(
    Schema.Literal("unresolved", "resolved", "muted", "unmuted", "all").annotations({
      message: () => ({ message: "must be unresolved, resolved, muted, unmuted or all", override: true }),
    }),
  ),
  resolved: optional(
    Schema.Literal("true", "false", "resolved", "unresolved", "1", "0").annotations({
      message: () => ({ message: "must be true, false, resolved, unresolved, 1 or 0", override: true }),
    }),
  ),
  /** Groups that last occurred on it or later. */
  since: optional(DateParam),
  /** Groups that last occurred on it or earlier. */
  until: optional(DateParam),
  ...pageParams,
})
export type GroupListParams = typeof GroupListParams.Type

const list = HttpApiEndpoint.get("list")`/projects/${projectIdParam}/groups`
  .setUrlParams(GroupListParams)
  .addSuccess(pageOf("groups", GroupView))
  .addError(ValidationFailed)

const get = HttpApiEndpoint.get("get")`/projects/${projectIdParam}/groups/${groupIdParam}`.addSuccess(
  GroupDetailView,
)

const resolve = HttpApiEndpoint.post("resolve")`/projects/${projectIdParam}/groups/${groupIdParam}/resolve`

const unresolve = HttpApiEndpoint.del("unresolve")`/projects/${projectIdParam}/groups/${groupIdParam}/resolve`

const mute = HttpApiEndpoint.post("mute")`/projects/${projectIdParam}/groups/${groupIdParam}/mute`
  .setPayload(GroupMute)
  .addError(BadRequest)
  .addError(ContentTooLarge)
  .addError(UnsupportedMediaType)
  .addError(ValidationFailed)

const unmute = HttpApiEndpoint.del("unmute")`/projects/${projectIdParam}/groups/${groupIdParam}/mute`

/** The groups of a project and what its members decide about them. */
export const GroupsApi = HttpApiGroup.make("groups")
  .add(list)
  .add(get)
  .add(resolve)
  .add(unresolve)
  .add(mute)
  .add(unmute)
  .addError(Forbidden)
  .addError(NotFound)
  .addError(InternalServerError)
  .addError(ServiceUnavailable)
  .middleware(Authentication)
