/** A report as lists of the API show it. */
import type { ReportSummary } from "@errata/core"
import { Severity } from "@errata/core/event"
import { reportUrl } from "@errata/core/group"
import { Schema, Struct } from "effect"
import { flag, int, text, textOrNull, time, viewOf } from "./Fields.js"
import { described, named } from "./Json.js"
import { sourcemapFields } from "./SourcemapFields.js"

export const reportFields = {
  id: int("Id of the report"),
  group_id: int("Id of the group"),
  project_id: int("Id of the project"),
  event_id: textOrNull("Event id: 32 lowercase hexadecimal characters, unique in the project, or null"),
  error_type: text("Error type, e.g. `TypeError`"),
  error_message: text("Error message"),
  culprit: text("Transaction or frame that caused the error. Empty if unknown"),
  occurred_at: time(
    "Time at which it occurred, by the application's clock, corrected if that clock is wrong",
  ),
  platform: text("Platform of the application, e.g. `node`"),
  severity: described("Severity", Severity.Severity),
  handled: flag("False if the application reports that nothing caught the error"),
  server_name: text("Server or device. Empty if unknown"),
  environment: text("Environment, e.g. `production`. Empty if unknown"),
  release_version: text("Version of the application. Empty if unknown"),
  ...sourcemapFields,
  web_url: textOrNull("Page of the report in the dashboard. Null if the instance does not know its address"),
  created_at: time("Time at which it was recorded"),
  tags: described(
    "Tags, in the order received",
    Schema.Array(
      Schema.Struct({
        key: text("Name of the tag"),
        value: text("Value"),
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
  ...plainOf(report),
  web_url: reportUrl(address, report),
})

// internal

const plainOf = viewOf(Struct.omit(reportFields, ["web_url"]))
