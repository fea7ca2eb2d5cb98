import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { withStatus } from "./Json.js"
import { TestedNotificationsView } from "./NotificationView.js"
import { projectIdParam, targetIdParam } from "./Params.js"
import { bodyProblems, instanceProblems, resourceProblems } from "./Problem.js"
import { NotificationKindsView, TargetCreation, TargetsView, TargetUpdate, TargetView } from "./TargetView.js"

const kinds = HttpApiEndpoint.get("kinds", "/notification_kinds", {
  success: NotificationKindsView,
  error: instanceProblems,
}).annotate(OpenApi.Summary, "List the kinds of targets that projects can have")

const all = HttpApiEndpoint.get("all", "/projects/:project_id/targets", {
  params: { project_id: projectIdParam },
  success: TargetsView,
  error: resourceProblems,
}).annotate(OpenApi.Summary, "List the targets of a project")

const get = HttpApiEndpoint.get("get", "/projects/:project_id/targets/:target_id", {
  params: { project_id: projectIdParam, target_id: targetIdParam },
  success: TargetView,
  error: resourceProblems,
}).annotate(OpenApi.Summary, "Get a target")

const create = HttpApiEndpoint.post("create", "/projects/:project_id/targets", {
  params: { project_id: projectIdParam },
  payload: TargetCreation,
  success: withStatus(201, TargetView),
  error: [...resourceProblems, ...bodyProblems],
}).annotate(OpenApi.Summary, "Create a target. No response contains its secret fields (admin)")

const update = HttpApiEndpoint.patch("update", "/projects/:project_id/targets/:target_id", {
  params: { project_id: projectIdParam, target_id: targetIdParam },
  payload: TargetUpdate,
  success: TargetView,
  error: [...resourceProblems, ...bodyProblems],
}).annotate(OpenApi.Summary, "Change a target (admin)")

const remove = HttpApiEndpoint.delete("remove", "/projects/:project_id/targets/:target_id", {
  params: { project_id: projectIdParam, target_id: targetIdParam },
  error: resourceProblems,
}).annotate(OpenApi.Summary, "Delete a target and its notifications (admin)")

const test = HttpApiEndpoint.post("test", "/projects/:project_id/targets/:target_id/test", {
  params: { project_id: projectIdParam, target_id: targetIdParam },
  success: TestedNotificationsView,
  error: resourceProblems,
})
  .annotate(OpenApi.Summary, "Send a test message once and return its result (admin)")
  .annotate(
    OpenApi.Description,
    "Works for disabled targets, and in quiet hours. The response arrives after a worker has made the attempt. Without an " +
      "attempt in time, it shows a pending notification, which is attempted later.",
  )

/** Notification targets of a project. */
export const TargetsApi = HttpApiGroup.make("targets")
  .add(kinds, all, get, create, update, remove, test)
  .annotate(OpenApi.Description, "Targets of a project, such as chats and mail, which get its notifications.")
