import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Schema } from "effect"
import { attachmentTypes } from "./AttachmentDownload.js"
import { Authentication } from "./Authentication.js"
import { described } from "./Json.js"
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

const list = HttpApiEndpoint.get("list")`/projects/${projectIdParam}/groups/${groupIdParam}/reports`
  .setUrlParams(
    Schema.Struct({
      since: described(
        "Return reports that occurred at this time or later: a date, an ISO 8601 timestamp, or a time span before now, e.g. 24h",
        optional(TimeParam),
      ),
      until: described(
        "Return reports that occurred before this time: a date, an ISO 8601 timestamp, or a time span before now",
        optional(TimeParam),
      ),
      ...pageParams,
    }),
  )
  .addSuccess(pageOf("reports", ReportView))
  .addError(Forbidden)
  .addError(ValidationFailed)
  .annotate(OpenApi.Summary, "List the reports of a group")

/** Which frames to show: those that are mapped where there are any, or all as they were received. */
const framesParam = {
  frames: described(
    "`raw` returns frames as received. By default, frames are mapped with source maps",
    optional(oneOf("resolved", "raw")),
  ),
}

const get = HttpApiEndpoint.get(
  "get",
)`/projects/${projectIdParam}/groups/${groupIdParam}/reports/${reportIdParam}`
  .setUrlParams(Schema.Struct(framesParam))
  .addSuccess(ReportDetailView)
  .addError(Forbidden)
  .addError(ValidationFailed)
  .annotate(OpenApi.Summary, "Get a report and all its data")

const getAttachment = HttpApiEndpoint.get(
  "getAttachment",
)`/projects/${projectIdParam}/groups/${groupIdParam}/reports/${reportIdParam}/attachments/${attachmentIdParam}`
  .addSuccess(HttpApiSchema.Uint8Array())
  .addError(Forbidden)
  .annotate(OpenApi.Summary, "Download an attachment of a report")
  .annotate(OpenApi.Transform, withBytes(attachmentTypes))

const retrySourcemaps = HttpApiEndpoint.post(
  "retrySourcemaps",
)`/projects/${projectIdParam}/groups/${groupIdParam}/reports/${reportIdParam}/sourcemap_retry`
  .addSuccess(SourcemapRetryAccepted, { status: 202 })
  .addSuccess(SourcemapRetryResolved)
  .addError(Forbidden)
  .addError(Conflict)
  .addError(ValidationFailed)
  .annotate(OpenApi.Summary, "Map the frames of a report with source maps again")

/** Also what the caller may not see is not found: event ids are known to whoever sent the event. */
const findByEventId = HttpApiEndpoint.get(
  "findByEventId",
)`/projects/${projectIdParam}/reports/${eventIdParam}`
  .setUrlParams(Schema.Struct(framesParam))
  .addSuccess(ReportDetailView)
  .addError(ValidationFailed)
  .annotate(OpenApi.Summary, "Find a report by its event id")

/** The reports of a project, by group or by event. */
export const ReportsApi = HttpApiGroup.make("reports")
  .add(list)
  .add(get)
  .add(getAttachment)
  .add(retrySourcemaps)
  .add(findByEventId)
  .addError(NotFound)
  .addError(InternalServerError)
  .addError(ServiceUnavailable)
  .middleware(Authentication)
  .annotate(OpenApi.Description, "Reports of a project, by group or by event.")
