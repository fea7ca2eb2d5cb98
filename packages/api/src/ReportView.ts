/** A report as lists of the API show it. */
import type { ReportSummary } from "@errata/core"
import { Severity } from "@errata/core/event"
import { reportUrl } from "@errata/core/group"
import { Schema } from "effect"
import { described, named, Timestamp } from "./Json.js"
import { sourcemapFields } from "./SourcemapFields.js"

export const reportFields = {
  id: described("Id of the report", Schema.Int),
  group_id: described("Id of the group", Schema.Int),
  project_id: described("Id of the project", Schema.Int),
  event_id: described(
    "Event id: 32 lowercase hexadecimal characters, unique in the project, or null",
    Schema.NullOr(Schema.String),
  ),
  error_type: described("Error type, e.g. `TypeError`", Schema.String),
  error_message: described("Error message", Schema.String),
  culprit: described("Transaction or frame that caused the error. Empty if unknown", Schema.String),
  occurred_at: described(
    "Time at which it occurred, by the application's clock, corrected if that clock is wrong",
    Timestamp,
  ),
  platform: described("Platform of the application, e.g. `node`", Schema.String),
  severity: described("Severity", Severity.Severity),
  handled: described("False if the application reports that nothing caught the error", Schema.Boolean),
  server_name: described("Server or device. Empty if unknown", Schema.String),
  environment: described("Environment, e.g. `production`. Empty if unknown", Schema.String),
  release_version: described("Version of the application. Empty if unknown", Schema.String),
  ...sourcemapFields,
  web_url: described(
    "Page of the report in the dashboard. Null if the instance does not know its address",
    Schema.NullOr(Schema.String),
  ),
  created_at: described("Time at which it was recorded", Timestamp),
  tags: described(
    "Tags, in the order received",
    Schema.Array(
      Schema.Struct({
        key: described("Name of the tag", Schema.String),
        value: described("Value", Schema.String),
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
  occurred_at: "2026-01-05T09:30:00.000Z",
  platform: "node",
  severity: "error",
  handled: false,
  server_name: "web-1",
  environment: "production",
  release_version: "shop@1.4.0",
  sourcemap_status: "unprocessed",
  sourcemap_failure_code: null,
  sourcemap_attempted_at: null,
  web_url: "https://errata.example.com/projects/1/groups/42/reports/1234",
  created_at: "2026-01-05T09:30:01.000Z",
  tags: [{ key: "browser", value: "Firefox" }],
} as const

/** A report of a list, as REST shows it. */
export const ReportView = Schema.Struct(reportFields).pipe(named("Report", reportExample))
export type ReportView = typeof ReportView.Type

/** `address` is the public URL of the instance. */
export const reportView = (report: ReportSummary, address: string | null): ReportView => ({
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
  web_url: reportUrl(address, report),
  created_at: report.createdAt,
  tags: report.tags,
})
