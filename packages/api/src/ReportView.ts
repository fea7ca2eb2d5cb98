/** A report as the API shows it: in lists, and on its own with everything that came with it. */
import type { EventUser, ExceptionValue, Report, ReportSummary } from "@errata/core"
import { Severity } from "@errata/core"
import { Schema } from "effect"
import { described, JsonObject, Timestamp } from "./Json.js"

const fields = {
  id: Schema.Int,
  group_id: Schema.Int,
  project_id: Schema.Int,
  event_id: described("32 lowercase hexadecimal characters", Schema.NullOr(Schema.String)),
  error_type: Schema.String,
  error_message: Schema.String,
  culprit: Schema.String,
  occurred_at: Timestamp,
  platform: Schema.String,
  severity: Severity.Severity,
  handled: Schema.Boolean,
  server_name: Schema.String,
  environment: Schema.String,
  release_version: Schema.String,
  sourcemap_status: Schema.Literal(
    "unprocessed",
    "queued",
    "fetching",
    "resolved",
    "not_found",
    "failed",
    "blocked",
  ),
  sourcemap_failure_code: Schema.NullOr(Schema.String),
  sourcemap_attempted_at: Schema.NullOr(Timestamp),
  created_at: Timestamp,
  tags: Schema.Array(Schema.Struct({ key: Schema.String, value: Schema.String })),
}

export const ReportView = Schema.Struct(fields).annotations({ identifier: "Report" })
export type ReportView = typeof ReportView.Type

// What the sender left out of a frame is absent: a report may have a thousand of them.
const Frame = JsonObject.annotations({
  identifier: "Frame",
  jsonSchema: {
    type: "object",
    properties: {
      filename: { type: "string" },
      abs_path: { type: "string" },
      function: { type: "string" },
      module: { type: "string" },
      package: { type: "string" },
      lineno: { type: "integer" },
      colno: { type: "integer" },
      in_app: { type: "boolean" },
      instruction_addr: { type: "string" },
      symbol_addr: { type: "string" },
      pre_context: { type: "array", items: { type: "string" } },
      context_line: { type: "string" },
      post_context: { type: "array", items: { type: "string" } },
      vars: { type: "object" },
    },
  },
})

const Exception = Schema.Struct({
  type: Schema.NullOr(Schema.String),
  value: Schema.NullOr(Schema.String),
  module: Schema.NullOr(Schema.String),
  thread_id: Schema.NullOr(Schema.String),
  mechanism: Schema.NullOr(JsonObject),
  handled: described("Null where the sender did not say", Schema.NullOr(Schema.Boolean)),
  frames: described("From the outermost call to the innermost", Schema.Array(Frame)),
}).annotations({ identifier: "Exception" })

export const ReportDetailView = Schema.Struct({
  ...fields,
  updated_at: Timestamp,
  custom_fingerprint: Schema.NullOr(Schema.Array(Schema.String)),
  transaction: Schema.String,
  transaction_source: Schema.NullOr(Schema.String),
  logger: Schema.String,
  dist: Schema.String,
  contexts: Schema.Array(Schema.Struct({ name: Schema.String, data: JsonObject })),
  user: Schema.Struct({
    user_id: Schema.String,
    username: Schema.String,
    email: Schema.String,
    ip_address: Schema.String,
    geo_city: Schema.String,
    geo_region: Schema.String,
    geo_country_code: Schema.String,
    data: JsonObject,
  }),
  request: Schema.Struct({
    url: Schema.String,
    method: Schema.String,
    query_string: Schema.String,
    data: JsonObject,
    cookies: JsonObject,
    headers: JsonObject,
    env: JsonObject,
  }),
  sdk: Schema.Struct({ name: Schema.String, version: Schema.String }),
  extras: Schema.Array(Schema.Struct({ key: Schema.String, value: Schema.Unknown })),
  dependencies: Schema.Array(Schema.Struct({ name: Schema.String, version: Schema.String })),
  release: Schema.NullOr(Schema.Struct({ id: Schema.Int, version: Schema.String })),
  /** The oldest cause first, as received. */
  exceptions: Schema.Array(Exception),
  threads: Schema.Array(JsonObject),
  breadcrumbs: Schema.Array(JsonObject),
  debug_images: Schema.Array(JsonObject),
  logentry: Schema.NullOr(JsonObject),
  security_report: Schema.NullOr(JsonObject),
  attachments: Schema.Array(
    Schema.Struct({
      id: Schema.Int,
      filename: Schema.String,
      content_type: Schema.String,
      type: Schema.String,
      size: described("In bytes", Schema.Int),
    }),
  ),
  ingest_truncations: described("What was cut to fit the limits of ingestion", Schema.Array(Schema.String)),
}).annotations({ identifier: "ReportDetail" })
export type ReportDetailView = typeof ReportDetailView.Type

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

export const reportDetailView = (report: Report): ReportDetailView => {
  const { details } = report
  return {
    ...reportView(report),
    updated_at: report.updatedAt,
    custom_fingerprint: details?.custom_fingerprint ?? null,
    transaction: details?.transaction ?? "",
    transaction_source: details?.transaction_source ?? null,
    logger: details?.logger ?? "",
    dist: details?.dist ?? "",
    contexts: details?.contexts ?? [],
    user: details?.user ?? nobody,
    request: details?.request ?? noRequest,
    sdk: details?.sdk ?? { name: "", version: "" },
    extras: details?.extras ?? [],
    dependencies: details?.dependencies ?? [],
    release: report.release,
    exceptions: details?.exceptions.map(exceptionView) ?? [],
    threads: details?.threads.map(asObject) ?? [],
    breadcrumbs: details?.breadcrumbs.map(asObject) ?? [],
    debug_images: details?.debug_images ?? [],
    logentry: details?.logentry ? asObject(details.logentry) : null,
    security_report: details?.security_report ? asObject(details.security_report) : null,
    attachments: report.attachments.map(({ contentType, filename, id, size, type }) => ({
      id,
      filename,
      content_type: contentType,
      type,
      size,
    })),
    ingest_truncations: details?.ingest_truncations ?? [],
  }
}

// internal

const exceptionView = (exception: ExceptionValue): typeof Exception.Type => ({
  type: exception.type ?? null,
  value: exception.value ?? null,
  module: exception.module ?? null,
  thread_id: exception.thread_id ?? null,
  mechanism: exception.mechanism ? asObject(exception.mechanism) : null,
  handled: exception.mechanism?.handled ?? null,
  frames: exception.frames.map(asObject),
})

// Interfaces have no index signature of their own.
const asObject = (value: object) => value as { readonly [key: string]: unknown }

const nobody: EventUser = {
  user_id: "",
  username: "",
  email: "",
  ip_address: "",
  geo_city: "",
  geo_region: "",
  geo_country_code: "",
  data: {},
}

const noRequest = { url: "", method: "", query_string: "", data: {}, cookies: {}, headers: {}, env: {} }
