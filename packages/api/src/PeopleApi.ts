import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AssigneeView } from "./AssigneeView.js"
import { described, named } from "./Json.js"
import { instanceProblems } from "./Problem.js"

/** Names of users by their ids. */
export const PeopleView = Schema.Struct({
  people: described("The people, newest first, at most 10,000", Schema.Array(AssigneeView)),
}).pipe(named("People", { people: [{ id: 3, name: "Operator" }] }))

const all = HttpApiEndpoint.get("all", "/people", {
  success: PeopleView,
  error: instanceProblems,
}).annotate(OpenApi.Summary, "Get the ids and names of all who share a project with the caller")

/** Names for the ids of users, for members. Deactivated users are among them. */
export const PeopleApi = HttpApiGroup.make("people")
  .add(all)
  .annotate(OpenApi.Description, "Names of the people who share a project with the caller.")
