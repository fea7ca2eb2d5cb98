import { maxGroups, maxSteps } from "@errata/core/activity"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ActivityView } from "./ActivityView.js"
import { Authentication } from "./Authentication.js"
import { described } from "./Json.js"
import { idsParam, oneOf, optional, projectIdParam, TimeParam } from "./Params.js"
import { Forbidden, InternalServerError, NotFound, ServiceUnavailable, ValidationFailed } from "./Problem.js"

const get = HttpApiEndpoint.get("get", "/projects/:project_id/activity", {
  params: { project_id: projectIdParam },
  query: {
    since: described(
      `Start of the series: a date, an ISO 8601 timestamp, or a time span before now. By default 24 hours, or 30 days for \`step=day\`, before now. At most ${maxSteps} steps before \`until\``,
      optional(TimeParam),
    ),
    until: described("End of the series, by default now", optional(TimeParam)),
    step: described("Length of a step, by default `hour`", optional(oneOf("hour", "day"))),
    group_ids: optional(
      idsParam(
        maxGroups,
        `Ids of groups, separated by commas, at most ${maxGroups}. Without them, the series is the project's`,
      ),
    ),
  },
  success: ActivityView,
  error: [Forbidden, NotFound, InternalServerError, ServiceUnavailable, ValidationFailed],
}).annotate(OpenApi.Summary, "Count the reports of a project, or of groups, by hour or day")

/** How many reports came in when. */
export const ActivityApi = HttpApiGroup.make("activity")
  .add(get)
  .middleware(Authentication)
  .annotate(OpenApi.Description, "Number of reports by hour or day.")
