import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Schema } from "effect"
import { Authentication } from "./Authentication.js"
import { described } from "./Json.js"
import { pageOf } from "./Page.js"
import { IdValue, pageParams, projectIdParam, userIdParam } from "./Params.js"
import {
  BodyProblem,
  Forbidden,
  InternalServerError,
  NotFound,
  ServiceUnavailable,
  ValidationFailed,
} from "./Problem.js"
import { UserView } from "./UserView.js"

/** Who becomes a member. */
export const MemberAddition = Schema.Struct({
  user_id: described("Id of an active user. Adding a member again changes nothing", IdValue),
}).annotations({
  identifier: "MemberAddition",
  examples: [{ user_id: 3 }],
})
export type MemberAddition = typeof MemberAddition.Type

const list = HttpApiEndpoint.get("list")`/projects/${projectIdParam}/users`
  .setUrlParams(Schema.Struct(pageParams))
  .addSuccess(pageOf("users", UserView))
  .addError(ValidationFailed)
  .annotate(OpenApi.Summary, "List the users with access to a project")

const add = HttpApiEndpoint.post("add")`/projects/${projectIdParam}/users`
  .setPayload(MemberAddition)
  .addError(BodyProblem)
  .annotate(OpenApi.Summary, "Add a user to a project")

const remove = HttpApiEndpoint.delete("remove")`/projects/${projectIdParam}/users/${userIdParam}`.annotate(
  OpenApi.Summary,
  "Remove a user from a project",
)

/** Who has access to a project; for admins only. */
export const MembersApi = HttpApiGroup.make("members")
  .add(list)
  .add(add)
  .add(remove)
  .addError(Forbidden)
  .addError(NotFound)
  .addError(InternalServerError)
  .addError(ServiceUnavailable)
  .middleware(Authentication)
  .annotate(OpenApi.Description, "Users with access to a project, for admins.")
