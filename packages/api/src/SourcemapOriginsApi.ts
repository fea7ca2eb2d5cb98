import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { Authentication } from "./Authentication.js"
import { pageOf } from "./Page.js"
import { originIdParam, pageParams, projectIdParam } from "./Params.js"
import {
  BodyProblem,
  Forbidden,
  InternalServerError,
  NotFound,
  ServiceUnavailable,
  ValidationFailed,
} from "./Problem.js"
import { SourcemapOriginCreation, SourcemapOriginView } from "./SourcemapOriginView.js"

const list = HttpApiEndpoint.get("list")`/projects/${projectIdParam}/hosted_sourcemap_origins`
  .setUrlParams(Schema.Struct(pageParams))
  .addSuccess(pageOf("hosted_sourcemap_origins", SourcemapOriginView))
  .addError(ValidationFailed)
  .annotate(OpenApi.Summary, "List the origins of a project")

const create = HttpApiEndpoint.post("create")`/projects/${projectIdParam}/hosted_sourcemap_origins`
  .setPayload(SourcemapOriginCreation)
  .addSuccess(SourcemapOriginView, { status: 201 })
  .addError(BodyProblem)
  .annotate(OpenApi.Summary, "Authorize a public HTTPS origin")

const remove = HttpApiEndpoint.del(
  "remove",
)`/projects/${projectIdParam}/hosted_sourcemap_origins/${originIdParam}`.annotate(
  OpenApi.Summary,
  "Remove an origin and the source maps fetched from it",
)

/** From where source maps may be fetched; for admins only. */
export const SourcemapOriginsApi = HttpApiGroup.make("sourcemapOrigins")
  .add(list)
  .add(create)
  .add(remove)
  .addError(Forbidden)
  .addError(NotFound)
  .addError(InternalServerError)
  .addError(ServiceUnavailable)
  .middleware(Authentication)
  .annotate(OpenApi.Description, "Origins from which Errata may fetch source maps, for admins.")
