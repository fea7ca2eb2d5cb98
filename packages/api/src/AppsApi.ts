import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Schema } from "effect"
import { AppCreation, AppUpdate, AppView } from "./AppView.js"
import { Authentication } from "./Authentication.js"
import { pageOf } from "./Page.js"
import { appIdParam, pageParams } from "./Params.js"
import {
  BodyProblem,
  Forbidden,
  InternalServerError,
  NotFound,
  ServiceUnavailable,
  ValidationFailed,
} from "./Problem.js"

const list = HttpApiEndpoint.get("list", "/apps")
  .setUrlParams(Schema.Struct(pageParams))
  .addSuccess(pageOf("apps", AppView))
  .addError(ValidationFailed)
  .annotate(OpenApi.Summary, "List the apps that contain projects of the caller")

const get = HttpApiEndpoint.get("get")`/apps/${appIdParam}`
  .addSuccess(AppView)
  .addError(NotFound)
  .annotate(OpenApi.Summary, "Get an app that contains projects of the caller")

const create = HttpApiEndpoint.post("create", "/apps")
  .setPayload(AppCreation)
  .addSuccess(AppView, { status: 201 })
  .addError(BodyProblem)
  .annotate(OpenApi.Summary, "Create an app (admin)")

const update = HttpApiEndpoint.patch("update")`/apps/${appIdParam}`
  .setPayload(AppUpdate)
  .addSuccess(AppView)
  .addError(NotFound)
  .addError(BodyProblem)
  .annotate(OpenApi.Summary, "Rename an app or replace its projects (admin)")

const remove = HttpApiEndpoint.delete("remove")`/apps/${appIdParam}`
  .addError(NotFound)
  .annotate(OpenApi.Summary, "Delete an app, but not its projects (admin)")

/** Apps: projects that belong together. */
export const AppsApi = HttpApiGroup.make("apps")
  .add(list)
  .add(get)
  .add(create)
  .add(update)
  .add(remove)
  .addError(Forbidden)
  .addError(InternalServerError)
  .addError(ServiceUnavailable)
  .middleware(Authentication)
  .annotate(OpenApi.Description, "Apps, which are sets of projects.")
