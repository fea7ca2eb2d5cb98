import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { HealthView } from "./HealthView.js"
import { instanceProblems } from "./Problem.js"

const details = HttpApiEndpoint.get("details", "/health/details", {
  success: HealthView,
  error: instanceProblems,
}).annotate(OpenApi.Summary, "Get the health checks with the codes of those that fail (admin)")

/** Health checks of the instance. For admins only. */
export const HealthApi = HttpApiGroup.make("health")
  .add(details)
  .annotate(OpenApi.Description, "Health checks of the instance, for admins.")
