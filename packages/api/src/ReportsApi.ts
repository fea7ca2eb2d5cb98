import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { Authentication } from "./Authentication.js"
import { described } from "./Json.js"
import { pageOf } from "./Page.js"
import {
  DateParam,
  eventIdParam,
  groupIdParam,
  optional,
  pageParams,
  projectIdParam,
  reportIdParam,
} from "./Params.js"
import { Forbidden, InternalServerError, NotFound, ServiceUnavailable, ValidationFailed } from "./Problem.js"
import { ReportDetailView, ReportView } from "./ReportView.js"

const list = HttpApiEndpoint.get("list")`/projects/${projectIdParam}/groups/${groupIdParam}/reports`
  .setUrlParams(
    Schema.Struct({
      since: optional(
        described("Reports that occurred after it: a date or an ISO 8601 timestamp", DateParam),
      ),
      until: optional(
        described("Reports that occurred before it: a date or an ISO 8601 timestamp", DateParam),
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
  .add(findByEventId)
  .addError(NotFound)
  .addError(InternalServerError)
  .addError(ServiceUnavailable)
  .middleware(Authentication)
  .annotate(OpenApi.Description, "The reports of a project, by group or by event.")
