import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AssigneeView } from "./AssigneeView.js"
import { pageOf } from "./Page.js"
import { projectIdParam } from "./Params.js"
import { resourceProblems, ValidationFailed } from "./Problem.js"
import { PageParams } from "./Queries.js"

const list = HttpApiEndpoint.get("list", "/projects/:project_id/assignees", {
  params: { project_id: projectIdParam },
  query: PageParams,
  success: pageOf("assignees", AssigneeView),
  error: [...resourceProblems, ValidationFailed],
}).annotate(OpenApi.Summary, "List the possible assignees of groups in a project")

/** Possible assignees of groups, for members of the project. */
export const AssigneesApi = HttpApiGroup.make("assignees")
  .add(list)
  .annotate(OpenApi.Description, "Possible assignees of groups, for members of the project.")
