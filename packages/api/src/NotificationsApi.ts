import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { MailSettingsUpdate, MailSettingsView, PausedAddressesView } from "./MailSettingsView.js"
import { NotificationView } from "./NotificationView.js"
import { pageOf } from "./Page.js"
import { addressParam, projectIdParam } from "./Params.js"
import { bodyProblems, instanceProblems, resourceProblems, ValidationFailed } from "./Problem.js"
import { NotificationListParams, PausedAddressParams } from "./Queries.js"

const list = HttpApiEndpoint.get("list", "/projects/:project_id/notifications", {
  params: { project_id: projectIdParam },
  query: NotificationListParams,
  success: pageOf("notifications", NotificationView),
  error: [...resourceProblems, ValidationFailed],
}).annotate(OpenApi.Summary, "List the notifications of a project: sent, held back and failed")

/** The history of a project. */
export const NotificationsApi = HttpApiGroup.make("notifications")
  .add(list)
  .annotate(OpenApi.Description, "Notifications of a project, and their results.")

const get = HttpApiEndpoint.get("get", "/projects/:project_id/mail_settings", {
  params: { project_id: projectIdParam },
  success: MailSettingsView,
  error: resourceProblems,
}).annotate(OpenApi.Summary, "Get the caller's settings for the mail of a project")

const update = HttpApiEndpoint.patch("update", "/projects/:project_id/mail_settings", {
  params: { project_id: projectIdParam },
  payload: MailSettingsUpdate,
  success: MailSettingsView,
  error: [...resourceProblems, ...bodyProblems],
}).annotate(OpenApi.Summary, "Change the caller's settings for the mail of a project")

/** The caller's mail settings. */
export const MailSettingsApi = HttpApiGroup.make("mailSettings")
  .add(get, update)
  .annotate(OpenApi.Description, "Settings of a person for the mail of a project.")

const page = HttpApiEndpoint.get("page", "/paused_addresses", {
  query: PausedAddressParams,
  success: PausedAddressesView,
  error: [...instanceProblems, ValidationFailed],
}).annotate(OpenApi.Summary, "List mail addresses that get no mail because it came back (admin)")

const resume = HttpApiEndpoint.delete("resume", "/paused_addresses/:address", {
  params: { address: addressParam },
  error: resourceProblems,
}).annotate(OpenApi.Summary, "Let a mail address get mail again (admin)")

/** Addresses that receive no mail. */
export const PausedAddressesApi = HttpApiGroup.make("pausedAddresses")
  .add(page, resume)
  .annotate(
    OpenApi.Description,
    "Mail addresses that get no mail, because a mail server rejected it permanently.",
  )
