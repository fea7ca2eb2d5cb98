import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { MemberAddition } from "./MemberAddition.js"
import { projectIdParam, userIdParam } from "./Params.js"
import { bodyProblems, resourceProblems, ValidationFailed } from "./Problem.js"
import { PageParams } from "./Queries.js"
import { UsersPage } from "./UserView.js"

const list = HttpApiEndpoint.get("list", "/projects/:project_id/users", {
  params: { project_id: projectIdParam },
  query: PageParams,
  success: UsersPage,
  error: [...resourceProblems, ValidationFailed],
}).annotate(OpenApi.Summary, "List the users with access to a project (admin)")

const add = HttpApiEndpoint.post("add", "/projects/:project_id/users", {
  params: { project_id: projectIdParam },
  payload: MemberAddition,
  error: [...resourceProblems, ...bodyProblems],
}).annotate(OpenApi.Summary, "Add a user to a project (admin)")

const remove = HttpApiEndpoint.delete("remove", "/projects/:project_id/users/:user_id", {
  params: { project_id: projectIdParam, user_id: userIdParam },
  error: resourceProblems,
}).annotate(OpenApi.Summary, "Remove a user from a project (admin)")

/** The users with access to a project. For admins only. */
export const MembersApi = HttpApiGroup.make("members")
  .add(list, add, remove)
  .annotate(OpenApi.Description, "Users with access to a project, for admins.")
