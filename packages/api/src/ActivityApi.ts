import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ActivityView } from "./ActivityView.js"
import { projectIdParam } from "./Params.js"
import { resourceProblems, ValidationFailed } from "./Problem.js"
import { ActivityParams } from "./Queries.js"

const get = HttpApiEndpoint.get("get", "/projects/:project_id/activity", {
  params: { project_id: projectIdParam },
  query: ActivityParams,
  success: ActivityView,
  error: [...resourceProblems, ValidationFailed],
}).annotate(OpenApi.Summary, "Count the reports of a project, or of groups, by hour or day")

/** Numbers of reports over time. */
export const ActivityApi = HttpApiGroup.make("activity")
  .add(get)
  .annotate(OpenApi.Description, "Number of reports by hour or day.")
