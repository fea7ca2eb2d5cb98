import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Schema } from "effect"
import { Authentication } from "./Authentication.js"
import { described } from "./Json.js"
import { pageOf } from "./Page.js"
import { optional, pageParams, projectIdParam, releaseIdParam, Text } from "./Params.js"
import { Forbidden, InternalServerError, NotFound, ServiceUnavailable, ValidationFailed } from "./Problem.js"
import { ReleaseView } from "./ReleaseView.js"

const list = HttpApiEndpoint.get("list")`/projects/${projectIdParam}/releases`
  .setUrlParams(
    Schema.Struct({
      version: described("Return only the release with exactly this version", optional(Text)),
      ...pageParams,
    }),
  )
  .addSuccess(pageOf("releases", ReleaseView))
  .addError(ValidationFailed)
  .annotate(OpenApi.Summary, "List the releases of a project and their report counts")

const get = HttpApiEndpoint.get("get")`/projects/${projectIdParam}/releases/${releaseIdParam}`
  .addSuccess(ReleaseView)
  .annotate(OpenApi.Summary, "Get a release")

/** The versions of applications. Build tools tell of them at `/api/0`, and events by being of one. */
export const ReleasesApi = HttpApiGroup.make("releases")
  .add(list)
  .add(get)
  .addError(Forbidden)
  .addError(NotFound)
  .addError(InternalServerError)
  .addError(ServiceUnavailable)
  .middleware(Authentication)
  .annotate(OpenApi.Description, "Versions of applications, from events and build tools.")
