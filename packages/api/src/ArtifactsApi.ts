import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ArtifactBundleDetailView, ArtifactBundleView } from "./ArtifactBundleView.js"
import { pageOf } from "./Page.js"
import { bundleIdParam, projectIdParam } from "./Params.js"
import { resourceProblems, ValidationFailed } from "./Problem.js"
import { PageParams } from "./Queries.js"

const bundle = "artifact_bundles"

const list = HttpApiEndpoint.get("list", "/projects/:project_id/artifact_bundles", {
  params: { project_id: projectIdParam },
  query: PageParams,
  success: pageOf(bundle, ArtifactBundleView),
  error: [...resourceProblems, ValidationFailed],
}).annotate(OpenApi.Summary, "List the uploads of build tools, including failed ones")

const get = HttpApiEndpoint.get("get", "/projects/:project_id/artifact_bundles/:bundle_id", {
  params: { project_id: projectIdParam, bundle_id: bundleIdParam },
  success: ArtifactBundleDetailView,
  error: resourceProblems,
}).annotate(OpenApi.Summary, "Get an upload and its files")

const remove = HttpApiEndpoint.delete("remove", "/projects/:project_id/artifact_bundles/:bundle_id", {
  params: { project_id: projectIdParam, bundle_id: bundleIdParam },
  error: resourceProblems,
}).annotate(OpenApi.Summary, "Delete an upload and its files. Reports that it mapped stay mapped (admin)")

/** The artifacts that build tools uploaded over `/api/0`. */
export const ArtifactsApi = HttpApiGroup.make("artifacts")
  .add(list, get, remove)
  .annotate(OpenApi.Description, "Scripts, source maps and other artifacts that build tools uploaded.")
