import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Schema } from "effect"
import { ArtifactBundleDetailView, ArtifactBundleView } from "./ArtifactBundleView.js"
import { Authentication } from "./Authentication.js"
import { pageOf } from "./Page.js"
import { bundleIdParam, pageParams, projectIdParam } from "./Params.js"
import { Forbidden, InternalServerError, NotFound, ServiceUnavailable, ValidationFailed } from "./Problem.js"

const bundle = "artifact_bundles"

const list = HttpApiEndpoint.get("list")`/projects/${projectIdParam}/artifact_bundles`
  .setUrlParams(Schema.Struct(pageParams))
  .addSuccess(pageOf(bundle, ArtifactBundleView))
  .addError(ValidationFailed)
  .annotate(OpenApi.Summary, "List the uploads of build tools, including failed ones")

const get = HttpApiEndpoint.get("get")`/projects/${projectIdParam}/artifact_bundles/${bundleIdParam}`
  .addSuccess(ArtifactBundleDetailView)
  .annotate(OpenApi.Summary, "Get an upload and its files")

const remove = HttpApiEndpoint.delete(
  "remove",
)`/projects/${projectIdParam}/artifact_bundles/${bundleIdParam}`.annotate(
  OpenApi.Summary,
  "Delete an upload and its files. Reports that it mapped stay mapped",
)

/** What build tools have uploaded at `/api/0`. */
export const ArtifactsApi = HttpApiGroup.make("artifacts")
  .add(list)
  .add(get)
  .add(remove)
  .addError(Forbidden)
  .addError(NotFound)
  .addError(InternalServerError)
  .addError(ServiceUnavailable)
  .middleware(Authentication)
  .annotate(OpenApi.Description, "Scripts, source maps and other artifacts that build tools uploaded.")
