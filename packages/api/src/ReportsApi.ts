import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { attachmentTypes } from "./AttachmentDownload.js"
import { Authentication } from "./Authentication.js"
import { described, withStatus } from "./Json.js"
import { withBytes } from "./OpenApiDocument.js"
import { pageOf } from "./Page.js"
import {
  attachmentIdParam,
  eventIdParam,
  groupIdParam,
  oneOf,
  optional,
  pageParams,
  projectIdParam,
  reportIdParam,
  TimeParam,
} from "./Params.js"
import {
  Conflict,
  Forbidden,
  InternalServerError,
  NotFound,
  ServiceUnavailable,
  ValidationFailed,
} from "./Problem.js"
import { ReportDetailView } from "./ReportDetailView.js"
import { ReportView } from "./ReportView.js"
import { SourcemapRetryAccepted, SourcemapRetryResolved } from "./SourcemapRetryView.js"

const errors = [NotFound, InternalServerError, ServiceUnavailable] as const

const list = HttpApiEndpoint.get("list", "/projects/:project_id/groups/:group_id/reports", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  query: {
    since: described(
      "Return reports that occurred at this time or later: a date, an ISO 8601 timestamp, or a time span before now, e.g. 24h",
      optional(TimeParam),
    ),
    until: described(
      "Return reports that occurred before this time: a date, an ISO 8601 timestamp, or a time span before now",
      optional(TimeParam),
    ),
    ...pageParams,
  },
  success: pageOf("reports", ReportView),
  error: [...errors, Forbidden, ValidationFailed],
}).annotate(OpenApi.Summary, "List the reports of a group")

/** Which frames to show: those that are mapped where there are any, or all as they were received. */
const framesParam = {
  frames: described(
    "`raw` returns frames as received. By default, frames are mapped with source maps",
    optional(oneOf("resolved", "raw")),
  ),
}

/** Parameters of every endpoint that returns one report. */
const detailParams = {
  ...framesParam,
  include: described(
    "`navigation` adds the ids of the first, previous, next and last report of the group",
    optional(oneOf("navigation")),
  ),
}

const get = HttpApiEndpoint.get("get", "/projects/:project_id/groups/:group_id/reports/:report_id", {
  params: { project_id: projectIdParam, group_id: groupIdParam, report_id: reportIdParam },
  query: detailParams,
  success: ReportDetailView,
  error: [...errors, Forbidden, ValidationFailed],
}).annotate(OpenApi.Summary, "Get a report and all its data")

const latest = HttpApiEndpoint.get("latest", "/projects/:project_id/groups/:group_id/reports/latest", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  query: detailParams,
  success: ReportDetailView,
  error: [...errors, Forbidden, ValidationFailed],
}).annotate(OpenApi.Summary, "Get the newest report of a group")

const getAttachment = HttpApiEndpoint.get(
  "getAttachment",
  "/projects/:project_id/groups/:group_id/reports/:report_id/attachments/:attachment_id",
  {
    params: {
      project_id: projectIdParam,
      group_id: groupIdParam,
      report_id: reportIdParam,
      attachment_id: attachmentIdParam,
    },
    success: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array()),
    error: [...errors, Forbidden],
  },
)
  .annotate(OpenApi.Summary, "Download an attachment of a report")
  .annotate(OpenApi.Transform, withBytes(attachmentTypes))

const retrySourcemaps = HttpApiEndpoint.post(
  "retrySourcemaps",
  "/projects/:project_id/groups/:group_id/reports/:report_id/sourcemap_retry",
  {
    params: { project_id: projectIdParam, group_id: groupIdParam, report_id: reportIdParam },
    success: [withStatus(202, SourcemapRetryAccepted), SourcemapRetryResolved],
    error: [...errors, Forbidden, Conflict, ValidationFailed],
  },
).annotate(OpenApi.Summary, "Map the frames of a report with source maps again (admin)")

/** Also what the caller may not see is not found: event ids are known to whoever sent the event. */
const findByEventId = HttpApiEndpoint.get("findByEventId", "/projects/:project_id/reports/:event_id", {
  params: { project_id: projectIdParam, event_id: eventIdParam },
  query: detailParams,
  success: ReportDetailView,
  error: [...errors, ValidationFailed],
}).annotate(OpenApi.Summary, "Find a report by its event id")

const findAnywhere = HttpApiEndpoint.get("findAnywhere", "/reports/:event_id", {
  params: { event_id: eventIdParam },
  query: detailParams,
  success: ReportDetailView,
  error: [...errors, ValidationFailed],
}).annotate(OpenApi.Summary, "Find a report by its event id in all projects of the caller")

/** The reports of a project, by group or by event. */
export const ReportsApi = HttpApiGroup.make("reports")
  .add(list, get, latest, getAttachment, retrySourcemaps, findByEventId, findAnywhere)
  .middleware(Authentication)
  .annotate(OpenApi.Description, "Reports of a project, by group or by event.")
