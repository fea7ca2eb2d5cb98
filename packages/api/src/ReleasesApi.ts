import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { pageOf } from "./Page.js"
import { projectIdParam, releaseIdParam } from "./Params.js"
import { resourceProblems, ValidationFailed } from "./Problem.js"
import { ReleaseListParams } from "./Queries.js"
import { NewestReleasesView, ReleaseView } from "./ReleaseView.js"

const list = HttpApiEndpoint.get("list", "/projects/:project_id/releases", {
  params: { project_id: projectIdParam },
  query: ReleaseListParams,
  success: pageOf("releases", ReleaseView),
  error: [...resourceProblems, ValidationFailed],
}).annotate(OpenApi.Summary, "List the releases of a project and their report counts")

const newest = HttpApiEndpoint.get("newest", "/projects/:project_id/releases/newest", {
  params: { project_id: projectIdParam },
  success: NewestReleasesView,
  error: resourceProblems,
})
  .annotate(OpenApi.Summary, "List the open ones of the newest 50 releases, without counts")
  .annotate(
    OpenApi.Description,
    "For marks in charts. The release that appeared last is first. Counts take long in projects with many groups.",
  )

const get = HttpApiEndpoint.get("get", "/projects/:project_id/releases/:release_id", {
  params: { project_id: projectIdParam, release_id: releaseIdParam },
  success: ReleaseView,
  error: resourceProblems,
}).annotate(OpenApi.Summary, "Get a release")

/** Releases of applications. Build tools create them over `/api/0`, and events by naming their release. */
export const ReleasesApi = HttpApiGroup.make("releases")
  .add(list, newest, get)
  .annotate(OpenApi.Description, "Versions of applications, from events and build tools.")
