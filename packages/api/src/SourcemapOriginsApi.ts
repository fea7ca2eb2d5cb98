import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { withStatus } from "./Json.js"
import { pageOf } from "./Page.js"
import { originIdParam, projectIdParam } from "./Params.js"
import { bodyProblems, resourceProblems, ValidationFailed } from "./Problem.js"
import { PageParams } from "./Queries.js"
import { SourcemapOriginCreation, SourcemapOriginView } from "./SourcemapOriginView.js"

const list = HttpApiEndpoint.get("list", "/projects/:project_id/hosted_sourcemap_origins", {
  params: { project_id: projectIdParam },
  query: PageParams,
  success: pageOf("hosted_sourcemap_origins", SourcemapOriginView),
  error: [...resourceProblems, ValidationFailed],
}).annotate(OpenApi.Summary, "List the origins that Errata may fetch source maps from (admin)")

const create = HttpApiEndpoint.post("create", "/projects/:project_id/hosted_sourcemap_origins", {
  params: { project_id: projectIdParam },
  payload: SourcemapOriginCreation,
  success: withStatus(201, SourcemapOriginView),
  error: [...resourceProblems, ...bodyProblems],
}).annotate(OpenApi.Summary, "Authorize a public HTTPS origin for source maps (admin)")

const remove = HttpApiEndpoint.delete("remove", "/projects/:project_id/hosted_sourcemap_origins/:origin_id", {
  params: { project_id: projectIdParam, origin_id: originIdParam },
  error: resourceProblems,
}).annotate(OpenApi.Summary, "Remove an origin and the source maps fetched from it (admin)")

/** From where source maps may be fetched; for admins only. */
export const SourcemapOriginsApi = HttpApiGroup.make("sourcemapOrigins")
  .add(list, create, remove)
  .annotate(OpenApi.Description, "Origins from which Errata may fetch source maps, for admins.")
