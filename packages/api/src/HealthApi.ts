import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication } from "./Authentication.js"
import { HealthView } from "./HealthView.js"
import { Forbidden, InternalServerError, ServiceUnavailable } from "./Problem.js"

const errors = [Forbidden, InternalServerError, ServiceUnavailable] as const

const details = HttpApiEndpoint.get("details", "/health/details", {
  success: HealthView,
  error: errors,
}).annotate(OpenApi.Summary, "Get the health checks with the codes of those that fail (admin)")

/** Health checks of the instance. For admins only. */
export const HealthApi = HttpApiGroup.make("health")
  .add(details)
  .middleware(Authentication)
  .annotate(OpenApi.Description, "Health checks of the instance, for admins.")
