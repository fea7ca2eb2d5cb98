import { HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { Schema } from "effect"
import { Authentication } from "./Authentication.js"
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
      /** Reports that occurred after it. */
      since: optional(DateParam),
      /** Reports that occurred before it. */
      until: optional(DateParam),
      ...pageParams,
    }),
  )
  .addSuccess(pageOf("reports", ReportView))
  .addError(Forbidden)
  .addError(ValidationFailed)

const get = HttpApiEndpoint.get(
  "get",
)`/projects/${projectIdParam}/groups/${groupIdParam}/reports/${reportIdParam}`
  .addSuccess(ReportDetailView)
  .addError(Forbidden)

/** Also what the caller may not see is not found: event ids are known to whoever sent the event. */
const findByEventId = HttpApiEndpoint.get(
  "findByEventId",
)`/projects/${projectIdParam}/reports/${eventIdParam}`.addSuccess(ReportDetailView)

/** The reports of a group. */
export const ReportsApi = HttpApiGroup.make("reports")
  .add(list)
  .add(get)
  .add(findByEventId)
  .addError(NotFound)
  .addError(InternalServerError)
  .addError(ServiceUnavailable)
  .middleware(Authentication)
