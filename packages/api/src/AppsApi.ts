import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AppCreation, AppUpdate, AppView } from "./AppView.js"
import { withStatus } from "./Json.js"
import { pageOf } from "./Page.js"
import { appIdParam } from "./Params.js"
import { bodyProblems, instanceProblems, NotFound, ValidationFailed } from "./Problem.js"
import { PageParams } from "./Queries.js"

const list = HttpApiEndpoint.get("list", "/apps", {
  query: PageParams,
  success: pageOf("apps", AppView),
  error: [...instanceProblems, ValidationFailed],
}).annotate(OpenApi.Summary, "List the apps that contain a project that the caller may see")

const get = HttpApiEndpoint.get("get", "/apps/:app_id", {
  params: { app_id: appIdParam },
  success: AppView,
  error: [...instanceProblems, NotFound],
}).annotate(OpenApi.Summary, "Get an app that contains a project that the caller may see")

const create = HttpApiEndpoint.post("create", "/apps", {
  payload: AppCreation,
  success: withStatus(201, AppView),
  error: [...instanceProblems, ...bodyProblems],
}).annotate(OpenApi.Summary, "Create an app (admin)")

const update = HttpApiEndpoint.patch("update", "/apps/:app_id", {
  params: { app_id: appIdParam },
  payload: AppUpdate,
  success: AppView,
  error: [...instanceProblems, NotFound, ...bodyProblems],
}).annotate(OpenApi.Summary, "Rename an app or replace its projects (admin)")

const remove = HttpApiEndpoint.delete("remove", "/apps/:app_id", {
  params: { app_id: appIdParam },
  error: [...instanceProblems, NotFound],
}).annotate(OpenApi.Summary, "Delete an app, but not its projects (admin)")

/** Apps, which group projects. */
export const AppsApi = HttpApiGroup.make("apps")
  .add(list, get, create, update, remove)
  .annotate(OpenApi.Description, "Apps, which are sets of projects.")
