import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Schema } from "effect"
import { AssigneeView } from "./AssigneeView.js"
import { Authentication } from "./Authentication.js"
import { pageOf } from "./Page.js"
import { pageParams, projectIdParam } from "./Params.js"
import { Forbidden, InternalServerError, NotFound, ServiceUnavailable, ValidationFailed } from "./Problem.js"

const list = HttpApiEndpoint.get("list")`/projects/${projectIdParam}/assignees`
  .setUrlParams(Schema.Struct(pageParams))
  .addSuccess(pageOf("assignees", AssigneeView))
  .addError(ValidationFailed)
  .annotate(OpenApi.Summary, "List the possible assignees of groups in a project")

/** Possible assignees of groups, for members of the project. */
export const AssigneesApi = HttpApiGroup.make("assignees")
  .add(list)
  .addError(Forbidden)
  .addError(NotFound)
  .addError(InternalServerError)
  .addError(ServiceUnavailable)
  .middleware(Authentication)
  .annotate(OpenApi.Description, "Possible assignees of groups, for members of the project.")
