import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { pageOf } from "./Page.js"
import { projectIdParam, userIdParam } from "./Params.js"
import { AssigneeView, MemberAddition, PeopleView } from "./PersonView.js"
import { bodyProblems, instanceProblems, resourceProblems, ValidationFailed } from "./Problem.js"
import { PageParams } from "./Queries.js"
import { UsersPage } from "./UserView.js"

const assignees = HttpApiEndpoint.get("list", "/projects/:project_id/assignees", {
  params: { project_id: projectIdParam },
  query: PageParams,
  success: pageOf("assignees", AssigneeView),
  error: [...resourceProblems, ValidationFailed],
}).annotate(OpenApi.Summary, "List the possible assignees of groups in a project")

/** Possible assignees of groups, for members of the project. */
export const AssigneesApi = HttpApiGroup.make("assignees")
  .add(assignees)
  .annotate(OpenApi.Description, "Possible assignees of groups, for members of the project.")

const people = HttpApiEndpoint.get("all", "/people", {
  success: PeopleView,
  error: instanceProblems,
}).annotate(OpenApi.Summary, "Get the ids and names of all who share a project with the caller")

/** Names for the ids of users, for members. Deactivated users are among them. */
export const PeopleApi = HttpApiGroup.make("people")
  .add(people)
  .annotate(OpenApi.Description, "Names of the people who share a project with the caller.")

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
