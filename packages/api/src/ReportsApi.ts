import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { attachmentTypes } from "./AttachmentDownload.js"
import { withStatus } from "./Json.js"
import { withBytes } from "./OpenApiDocument.js"
import { pageOf } from "./Page.js"
import { attachmentIdParam, eventIdParam, groupIdParam, projectIdParam, reportIdParam } from "./Params.js"
import {
  Conflict,
  InternalServerError,
  NotFound,
  resourceProblems,
  ServiceUnavailable,
  ValidationFailed,
} from "./Problem.js"
import { ReportListParams, ReportParams } from "./Queries.js"
import { ReportDetailView } from "./ReportDetailView.js"
import { ReportView } from "./ReportView.js"
import { SourcemapRetryAccepted, SourcemapRetryResolved } from "./SourcemapRetryView.js"

/** Returns 404 and not 403 for projects that the caller cannot see, since the sender of an event knows its id. */
const findProblems = [NotFound, InternalServerError, ServiceUnavailable, ValidationFailed] as const

const list = HttpApiEndpoint.get("list", "/projects/:project_id/groups/:group_id/reports", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  query: ReportListParams,
  success: pageOf("reports", ReportView),
  error: [...resourceProblems, ValidationFailed],
}).annotate(OpenApi.Summary, "List the reports of a group")

const get = HttpApiEndpoint.get("get", "/projects/:project_id/groups/:group_id/reports/:report_id", {
  params: { project_id: projectIdParam, group_id: groupIdParam, report_id: reportIdParam },
  query: ReportParams,
  success: ReportDetailView,
  error: [...resourceProblems, ValidationFailed],
}).annotate(OpenApi.Summary, "Get a report and all its data")

const latest = HttpApiEndpoint.get("latest", "/projects/:project_id/groups/:group_id/reports/latest", {
  params: { project_id: projectIdParam, group_id: groupIdParam },
  query: ReportParams,
  success: ReportDetailView,
  error: [...resourceProblems, ValidationFailed],
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
    error: [...resourceProblems],
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
    error: [...resourceProblems, Conflict, ValidationFailed],
  },
).annotate(OpenApi.Summary, "Map the frames of a report with source maps again (admin)")

const findByEventId = HttpApiEndpoint.get("findByEventId", "/projects/:project_id/reports/:event_id", {
  params: { project_id: projectIdParam, event_id: eventIdParam },
  query: ReportParams,
  success: ReportDetailView,
  error: findProblems,
}).annotate(OpenApi.Summary, "Find a report by its event id")

const findAnywhere = HttpApiEndpoint.get("findAnywhere", "/reports/:event_id", {
  params: { event_id: eventIdParam },
  query: ReportParams,
  success: ReportDetailView,
  error: findProblems,
}).annotate(OpenApi.Summary, "Find a report by its event id in all projects of the caller")

/** The reports of a project, by group or by event. */
export const ReportsApi = HttpApiGroup.make("reports")
  .add(list, get, latest, getAttachment, retrySourcemaps, findByEventId, findAnywhere)
  .annotate(OpenApi.Description, "Reports of a project, by group or by event.")
