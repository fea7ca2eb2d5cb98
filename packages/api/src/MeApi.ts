import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { MeView } from "./MeView.js"
import { InternalServerError, ServiceUnavailable } from "./Problem.js"

const get = HttpApiEndpoint.get("get", "/me", {
  success: MeView,
  error: [InternalServerError, ServiceUnavailable],
}).annotate(OpenApi.Summary, "Get the caller, the instance, and what the caller may do")

/** The caller, the instance, and the access rules that the caller passes. */
export const MeApi = HttpApiGroup.make("me")
  .add(get)
  .annotate(OpenApi.Description, "The caller, and what the caller may do.")
