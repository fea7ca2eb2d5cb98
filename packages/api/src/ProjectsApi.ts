import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { withStatus } from "./Json.js"
import { ProjectAccessView } from "./MeView.js"
import { withOptionalBody } from "./OpenApiDocument.js"
import { pageOf } from "./Page.js"
import { projectIdParam } from "./Params.js"
import { bodyProblems, instanceProblems, NotFound, TooManyRequests, ValidationFailed } from "./Problem.js"
import {
  NotificationSettings,
  ProjectCreation,
  ProjectMuting,
  ProjectUpdate,
  ProjectView,
  TestEventAccepted,
} from "./ProjectView.js"
import { ProjectListParams } from "./Queries.js"

const list = HttpApiEndpoint.get("list", "/projects", {
  query: ProjectListParams,
  success: pageOf("projects", ProjectView),
  error: [...instanceProblems, ValidationFailed],
}).annotate(OpenApi.Summary, "List the projects that the caller may see, or find one by its exact name")

const create = HttpApiEndpoint.post("create", "/projects", {
  payload: ProjectCreation,
  success: withStatus(201, ProjectView),
  error: [...instanceProblems, ...bodyProblems],
}).annotate(OpenApi.Summary, "Create a project (admin)")

const get = HttpApiEndpoint.get("get", "/projects/:project_id", {
  params: { project_id: projectIdParam },
  success: ProjectView,
  error: [...instanceProblems, NotFound],
}).annotate(OpenApi.Summary, "Get a project")

const access = HttpApiEndpoint.get("access", "/projects/:project_id/access", {
  params: { project_id: projectIdParam },
  success: ProjectAccessView,
  error: [...instanceProblems, NotFound],
}).annotate(OpenApi.Summary, "Get what the caller may do in a project")

const update = HttpApiEndpoint.patch("update", "/projects/:project_id", {
  params: { project_id: projectIdParam },
  payload: ProjectUpdate,
  success: ProjectView,
  error: [...instanceProblems, NotFound, ...bodyProblems],
}).annotate(OpenApi.Summary, "Change the name, platform or time zone of a project (admin)")

const rotateToken = HttpApiEndpoint.post("rotateToken", "/projects/:project_id/rotate_token", {
  params: { project_id: projectIdParam },
  success: ProjectView,
  error: [...instanceProblems, NotFound],
}).annotate(
  OpenApi.Summary,
  "Replace the key in the DSN of a project. The previous key stops working (admin)",
)

const remove = HttpApiEndpoint.delete("remove", "/projects/:project_id", {
  params: { project_id: projectIdParam },
  error: [...instanceProblems, NotFound],
}).annotate(OpenApi.Summary, "Delete a project and all its data (admin)")

const sendTestEvent = HttpApiEndpoint.post("sendTestEvent", "/projects/:project_id/test_event", {
  params: { project_id: projectIdParam },
  success: withStatus(202, TestEventAccepted),
  error: [...instanceProblems, NotFound, TooManyRequests],
}).annotate(OpenApi.Summary, "Send an example event to a project, within its rate limits")

const mute = HttpApiEndpoint.post("mute", "/projects/:project_id/mute", {
  params: { project_id: projectIdParam },
  payload: ProjectMuting,
  error: [...instanceProblems, NotFound, ...bodyProblems],
})
  .annotate(OpenApi.Summary, "Mute all existing and new groups of a project (admin)")
  .annotate(OpenApi.Transform, withOptionalBody)

const unmute = HttpApiEndpoint.delete("unmute", "/projects/:project_id/mute", {
  params: { project_id: projectIdParam },
  error: [...instanceProblems, NotFound],
}).annotate(OpenApi.Summary, "Stop muting new groups of a project. Muted groups stay muted (admin)")

const getNotificationSettings = HttpApiEndpoint.get(
  "getNotificationSettings",
  "/projects/:project_id/notification_settings",
  {
    params: { project_id: projectIdParam },
    success: NotificationSettings,
    error: [...instanceProblems, NotFound],
  },
).annotate(
  OpenApi.Summary,
  "Get which groups of a project send webhooks: all, or only those of severity error and fatal (admin)",
)

const updateNotificationSettings = HttpApiEndpoint.patch(
  "updateNotificationSettings",
  "/projects/:project_id/notification_settings",
  {
    params: { project_id: projectIdParam },
    payload: NotificationSettings,
    success: NotificationSettings,
    error: [...instanceProblems, NotFound, ...bodyProblems],
  },
).annotate(OpenApi.Summary, "Change which groups of a project send webhooks (admin)")

/** Projects: admins make and change them, members read their own. */
export const ProjectsApi = HttpApiGroup.make("projects")
  .add(
    list,
    create,
    get,
    access,
    update,
    rotateToken,
    remove,
    mute,
    unmute,
    sendTestEvent,
    getNotificationSettings,
    updateNotificationSettings,
  )
  .annotate(OpenApi.Description, "Projects. Admins manage them, and members read their own.")
