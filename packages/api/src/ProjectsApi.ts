import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Schema } from "effect"
import { Authentication } from "./Authentication.js"
import { described } from "./Json.js"
import { withOptionalBody } from "./OpenApiDocument.js"
import { pageOf } from "./Page.js"
import { optional, pageParams, projectIdParam, Text } from "./Params.js"
import {
  BodyProblem,
  Forbidden,
  InternalServerError,
  NotFound,
  ServiceUnavailable,
  ValidationFailed,
} from "./Problem.js"
import {
  NotificationSettings,
  ProjectCreation,
  ProjectMuting,
  ProjectUpdate,
  ProjectView,
} from "./ProjectView.js"

const list = HttpApiEndpoint.get("list", "/projects")
  .setUrlParams(
    Schema.Struct({
      name: described("Return only the project with exactly this name", optional(Text)),
      ...pageParams,
    }),
  )
  .addSuccess(pageOf("projects", ProjectView))
  .addError(ValidationFailed)
  .annotate(OpenApi.Summary, "List the projects of the caller, or find one by its exact name")

const create = HttpApiEndpoint.post("create", "/projects")
  .setPayload(ProjectCreation)
  .addSuccess(ProjectView, { status: 201 })
  .addError(BodyProblem)
  .annotate(OpenApi.Summary, "Create a project (admin)")

const get = HttpApiEndpoint.get("get")`/projects/${projectIdParam}`
  .addSuccess(ProjectView)
  .addError(NotFound)
  .annotate(OpenApi.Summary, "Get a project")

const update = HttpApiEndpoint.patch("update")`/projects/${projectIdParam}`
  .setPayload(ProjectUpdate)
  .addSuccess(ProjectView)
  .addError(NotFound)
  .addError(BodyProblem)
  .annotate(OpenApi.Summary, "Rename a project or change its time zone (admin)")

const remove = HttpApiEndpoint.delete("remove")`/projects/${projectIdParam}`
  .addError(NotFound)
  .annotate(OpenApi.Summary, "Delete a project and all its data (admin)")

const mute = HttpApiEndpoint.post("mute")`/projects/${projectIdParam}/mute`
  .setPayload(ProjectMuting)
  .addError(NotFound)
  .addError(BodyProblem)
  .annotate(OpenApi.Summary, "Mute all existing and new groups of a project (admin)")
  .annotate(OpenApi.Transform, withOptionalBody)

const unmute = HttpApiEndpoint.delete("unmute")`/projects/${projectIdParam}/mute`
  .addError(NotFound)
  .annotate(OpenApi.Summary, "Stop muting new groups of a project (admin)")

const getNotificationSettings = HttpApiEndpoint.get(
  "getNotificationSettings",
)`/projects/${projectIdParam}/notification_settings`
  .addSuccess(NotificationSettings)
  .addError(NotFound)
  .annotate(OpenApi.Summary, "Get the notification settings of a project (admin)")

const updateNotificationSettings = HttpApiEndpoint.patch(
  "updateNotificationSettings",
)`/projects/${projectIdParam}/notification_settings`
  .setPayload(NotificationSettings)
  .addSuccess(NotificationSettings)
  .addError(NotFound)
  .addError(BodyProblem)
  .annotate(OpenApi.Summary, "Change the notification settings of a project (admin)")

/** Projects: admins make and change them, members read their own. */
export const ProjectsApi = HttpApiGroup.make("projects")
  .add(list)
  .add(create)
  .add(get)
  .add(update)
  .add(remove)
  .add(mute)
  .add(unmute)
  .add(getNotificationSettings)
  .add(updateNotificationSettings)
  .addError(Forbidden)
  .addError(InternalServerError)
  .addError(ServiceUnavailable)
  .middleware(Authentication)
  .annotate(OpenApi.Description, "Projects. Admins manage them, and members read their own.")
