import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { attachmentTypes } from "./AttachmentDownload.js"
import { Authentication } from "./Authentication.js"
import { described } from "./Json.js"
import { withBytes } from "./OpenApiDocument.js"
import { pageOf } from "./Page.js"
import {
  attachmentIdParam,
  DateParam,
  eventIdParam,
  groupIdParam,
  optional,
  pageParams,
  projectIdParam,
  reportIdParam,
} from "./Params.js"
import { Forbidden, InternalServerError, NotFound, ServiceUnavailable, ValidationFailed } from "./Problem.js"
import { ReportDetailView } from "./ReportDetailView.js"
import { ReportView } from "./ReportView.js"

const list = HttpApiEndpoint.get("list")`/projects/${projectIdParam}/groups/${groupIdParam}/reports`
  .setUrlParams(
    Schema.Struct({
      since: described(
        "Reports that occurred after it: a date or an ISO 8601 timestamp",
        optional(DateParam),
      ),
      until: described(
        "Reports that occurred before it: a date or an ISO 8601 timestamp",
        optional(DateParam),
      ),
      ...pageParams,
    }),
  )
  .addSuccess(pageOf("reports", ReportView))
  .addError(Forbidden)
  .addError(ValidationFailed)
  .annotate(OpenApi.Summary, "List the reports of a group")

const get = HttpApiEndpoint.get(
  "get",
)`/projects/${projectIdParam}/groups/${groupIdParam}/reports/${reportIdParam}`
  .addSuccess(ReportDetailView)
  .addError(Forbidden)
  .annotate(OpenApi.Summary, "Get a report with everything that came with it")

const getAttachment = HttpApiEndpoint.get(
  "getAttachment",
)`/projects/${projectIdParam}/groups/${groupIdParam}/reports/${reportIdParam}/attachments/${attachmentIdParam}`
  .addSuccess(HttpApiSchema.Uint8Array())
  .addError(Forbidden)
  .annotate(OpenApi.Summary, "Download an attachment of a report")
  .annotate(OpenApi.Transform, withBytes(attachmentTypes))

/** Also what the caller may not see is not found: event ids are known to whoever sent the event. */
const findByEventId = HttpApiEndpoint.get(
  "findByEventId",
)`/projects/${projectIdParam}/reports/${eventIdParam}`
  .addSuccess(ReportDetailView)
  .annotate(OpenApi.Summary, "Find a report by the id of its event")

/** The reports of a project, by group or by event. */
export const ReportsApi = HttpApiGroup.make("reports")
  .add(list)
  .add(get)
  .add(getAttachment)
  .add(findByEventId)
  .addError(NotFound)
  .addError(InternalServerError)
  .addError(ServiceUnavailable)
  .middleware(Authentication)
  .annotate(OpenApi.Description, "The reports of a project, by group or by event.")
