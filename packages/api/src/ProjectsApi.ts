import { HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { Schema } from "effect"
import { Authentication } from "./Authentication.js"
import { pageOf } from "./Page.js"
import { optional, pageParams, projectIdParam, Text } from "./Params.js"
import {
  BadRequest,
  ContentTooLarge,
  Forbidden,
  InternalServerError,
  NotFound,
  ServiceUnavailable,
  UnsupportedMediaType,
  ValidationFailed,
} from "./Problem.js"
import { ProjectCreation, ProjectView } from "./ProjectView.js"

const list = HttpApiEndpoint.get("list", "/projects")
  .setUrlParams(Schema.Struct({ name: optional(Text), ...pageParams }))
  .addSuccess(pageOf("projects", ProjectView))
  .addError(Forbidden)
  .addError(ValidationFailed)

const create = HttpApiEndpoint.post("create", "/projects")
  .setPayload(ProjectCreation)
  .addSuccess(ProjectView, { status: 201 })
  .addError(BadRequest)
  .addError(Forbidden)
  .addError(ContentTooLarge)
  .addError(UnsupportedMediaType)
  .addError(ValidationFailed)

const get = HttpApiEndpoint.get("get")`/projects/${projectIdParam}`
  .addSuccess(ProjectView)
  .addError(Forbidden)
  .addError(NotFound)

/** Projects: admins make them, members read their own. */
export const ProjectsApi = HttpApiGroup.make("projects")
  .add(list)
  .add(create)
  .add(get)
  .addError(InternalServerError)
  .addError(ServiceUnavailable)
  .middleware(Authentication)
