import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication } from "./Authentication.js"
import { described } from "./Json.js"
import { IdValue, pageParams, projectIdParam, userIdParam } from "./Params.js"
import {
  bodyProblems,
  Forbidden,
  InternalServerError,
  NotFound,
  ServiceUnavailable,
  ValidationFailed,
} from "./Problem.js"
import { UsersPage } from "./UserView.js"

/** Who becomes a member. */
export const MemberAddition = Schema.Struct({
  user_id: described("Id of an active user. Adding a member again changes nothing", IdValue),
}).pipe(
  Schema.annotateEncoded({
    identifier: "MemberAddition",
    examples: [{ user_id: 3 }],
  }),
)
export type MemberAddition = typeof MemberAddition.Type

const errors = [Forbidden, NotFound, InternalServerError, ServiceUnavailable] as const

const list = HttpApiEndpoint.get("list", "/projects/:project_id/users", {
  params: { project_id: projectIdParam },
  query: pageParams,
  success: UsersPage,
  error: [...errors, ValidationFailed],
}).annotate(OpenApi.Summary, "List the users with access to a project (admin)")

const add = HttpApiEndpoint.post("add", "/projects/:project_id/users", {
  params: { project_id: projectIdParam },
  payload: MemberAddition,
  error: [...errors, ...bodyProblems],
}).annotate(OpenApi.Summary, "Add a user to a project (admin)")

const remove = HttpApiEndpoint.delete("remove", "/projects/:project_id/users/:user_id", {
  params: { project_id: projectIdParam, user_id: userIdParam },
  error: errors,
}).annotate(OpenApi.Summary, "Remove a user from a project (admin)")

/** Who has access to a project; for admins only. */
export const MembersApi = HttpApiGroup.make("members")
  .add(list, add, remove)
  .middleware(Authentication)
  .annotate(OpenApi.Description, "Users with access to a project, for admins.")
