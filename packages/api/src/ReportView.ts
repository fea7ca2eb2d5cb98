/** A report as lists of the API show it. */
import type { ReportSummary } from "@errata/core"
import { Severity } from "@errata/core/event"
import { Schema } from "effect"
import { at, described, Timestamp } from "./Json.js"
import { sourcemapFields } from "./SourcemapFields.js"

export const reportFields = {
  id: described("The report's id", Schema.Int),
  group_id: described("The group that it belongs to", Schema.Int),
  project_id: described("The project that it was sent to", Schema.Int),
  event_id: described(
    "32 lowercase hexadecimal characters, unique in the project; null where none was kept",
    Schema.NullOr(Schema.String),
  ),
  error_type: described("What kind of error it is, e.g. `TypeError`", Schema.String),
  error_message: described("What the error says", Schema.String),
  culprit: described(
    "Where it happened: a transaction or the frame to blame; empty where unknown",
    Schema.String,
  ),
  occurred_at: described(
    "When it occurred, by the clock of the application as far as that is right",
    Timestamp,
  ),
  platform: described("What the application is made with, e.g. `node`", Schema.String),
  severity: described("How bad it is", Severity.Severity),
  handled: described("False where the application says that nothing caught it", Schema.Boolean),
  server_name: described("The server or device; empty where unknown", Schema.String),
  environment: described("E.g. `production`; empty where unknown", Schema.String),
  release_version: described("The version of the application; empty where unknown", Schema.String),
  ...sourcemapFields,
  created_at: described("When it was recorded", Timestamp),
  tags: described(
    "Its tags, in the order received",
    Schema.Array(
      Schema.Struct({
        key: described("The tag's name", Schema.String),
        value: described("Its value", Schema.String),
      }),
    ),
  ),
}

export const reportExample = {
  id: 1234,
  group_id: 42,
  project_id: 1,
  event_id: "4c79f60c11214eb38604f4ae0781bfb2",
  error_type: "TypeError",
  error_message: "Cannot read properties of undefined (reading 'price')",
  culprit: "src/cart.js in total",
  occurred_at: at("2026-01-05T09:30:00.000Z"),
  platform: "node",
  severity: "error",
  handled: false,
  server_name: "web-1",
  environment: "production",
  release_version: "shop@1.4.0",
  sourcemap_status: "unprocessed",
  sourcemap_failure_code: null,
  sourcemap_attempted_at: null,
  created_at: at("2026-01-05T09:30:01.000Z"),
  tags: [{ key: "browser", value: "Firefox" }],
} as const

export const ReportView = Schema.Struct(reportFields).annotations({
  identifier: "Report",
  examples: [reportExample],
})
export type ReportView = typeof ReportView.Type

export const reportView = (report: ReportSummary): ReportView => ({
  id: report.id,
  group_id: report.groupId,
  project_id: report.projectId,
  event_id: report.eventId,
  error_type: report.errorType,
  error_message: report.errorMessage,
  culprit: report.culprit,
  occurred_at: report.occurredAt,
  platform: report.platform,
  severity: report.severity,
  handled: report.handled,
  server_name: report.serverName,
  environment: report.environment,
  release_version: report.releaseVersion,
  sourcemap_status: report.sourcemapStatus,
  sourcemap_failure_code: report.sourcemapFailureCode,
  sourcemap_attempted_at: report.sourcemapAttemptedAt,
  created_at: report.createdAt,
  tags: report.tags,
})
