import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Schema } from "effect"
import { Authentication } from "./Authentication.js"
import { MergeView } from "./MergeView.js"
import { pageOf } from "./Page.js"
import { groupIdParam, mergeIdParam, pageParams, projectIdParam } from "./Params.js"
import { Forbidden, InternalServerError, NotFound, ServiceUnavailable, ValidationFailed } from "./Problem.js"

const list = HttpApiEndpoint.get("list")`/projects/${projectIdParam}/groups/${groupIdParam}/merges`
  .setUrlParams(Schema.Struct(pageParams))
  .addSuccess(pageOf("merges", MergeView))
  .addError(ValidationFailed)
  .annotate(OpenApi.Summary, "List the merges of a group")

const undo = HttpApiEndpoint.delete(
  "undo",
)`/projects/${projectIdParam}/groups/${groupIdParam}/merges/${mergeIdParam}`.annotate(
  OpenApi.Summary,
  "Undo a merge, so that its source is a separate group again",
)

/** What groups were merged into others, which can be undone. */
export const MergesApi = HttpApiGroup.make("merges")
  .add(list)
  .add(undo)
  .addError(Forbidden)
  .addError(NotFound)
  .addError(InternalServerError)
  .addError(ServiceUnavailable)
  .middleware(Authentication)
  .annotate(OpenApi.Description, "Merges of groups, which can be undone.")
