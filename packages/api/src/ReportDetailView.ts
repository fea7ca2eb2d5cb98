/** A report as the API shows it on its own, with everything that came with it. */
import type { EventUser, ExceptionValue, Report } from "@errata/core"
import { Schema } from "effect"
import { described, JsonObject, Timestamp } from "./Json.js"
import { reportExample, reportFields, reportView } from "./ReportView.js"
import { Exception } from "./StackView.js"

export const ReportDetailView = Schema.Struct({
  ...reportFields,
  updated_at: described("When it last changed", Timestamp),
  custom_fingerprint: described(
    "The fingerprint that the application chose; null where it chose none",
    Schema.NullOr(Schema.Array(Schema.String)),
  ),
  transaction: described("What the application was doing, e.g. a route; empty where unknown", Schema.String),
  transaction_source: described(
    "Where that name comes from, e.g. `route`; null where unknown",
    Schema.NullOr(Schema.String),
  ),
  logger: described("The logger that took it; empty where none did", Schema.String),
  dist: described("The distribution of the release; empty where there is none", Schema.String),
  contexts: described(
    "What surrounded it, e.g. the operating system, in the order received",
    Schema.Array(
      Schema.Struct({
        name: described("What it is about, e.g. `os`", Schema.String),
        data: described("What the application says of it", JsonObject),
      }),
    ),
  ),
  user: described(
    "The person whom it happened to; empty where unknown",
    Schema.Struct({
      user_id: described("The application's id of them", Schema.String),
      username: described("What they are called", Schema.String),
      email: described("Their e-mail address", Schema.String),
      ip_address: described("The address that they came from", Schema.String),
      geo_city: described("The city that they were in", Schema.String),
      geo_region: described("The region that they were in", Schema.String),
      geo_country_code: described("The country that they were in", Schema.String),
      data: described("What else the application says of them", JsonObject),
    }),
  ),
  request: described(
    "The HTTP request that was served; empty where there was none",
    Schema.Struct({
      url: described("Its URL", Schema.String),
      method: described("Its method", Schema.String),
      query_string: described("Its query", Schema.String),
      data: described("Its body", JsonObject),
      cookies: described("Its cookies by name", JsonObject),
      headers: described("Its headers by name", JsonObject),
      env: described("The environment of its server", JsonObject),
    }),
  ),
  sdk: described(
    "What sent it; empty where unknown",
    Schema.Struct({
      name: described("The SDK, e.g. `sentry.javascript.node`", Schema.String),
      version: described("Its version", Schema.String),
    }),
  ),
  extras: described(
    "What else the application sent, in the order received",
    Schema.Array(
      Schema.Struct({
        key: described("What it is called", Schema.String),
        value: described("Any JSON", Schema.Unknown),
      }),
    ),
  ),
  dependencies: described(
    "The packages that the application consists of",
    Schema.Array(
      Schema.Struct({
        name: described("The package", Schema.String),
        version: described("Its version", Schema.String),
      }),
    ),
  ),
  release: described(
    "The release of the application; null where unknown",
    Schema.NullOr(
      Schema.Struct({
        id: described("The release's id", Schema.Int),
        version: described("Its version", Schema.String),
      }),
    ),
  ),
  exceptions: described("The oldest cause first, as received", Schema.Array(Exception)),
  threads: described("The threads that ran, as received", Schema.Array(JsonObject)),
  breadcrumbs: described("What happened before, the oldest first", Schema.Array(JsonObject)),
  debug_images: described("The binaries that were loaded", Schema.Array(JsonObject)),
  logentry: described("The message that was logged; null where there was none", Schema.NullOr(JsonObject)),
  security_report: described(
    "What a browser says of a violated policy; null for other reports",
    Schema.NullOr(JsonObject),
  ),
  attachments: described(
    "The files that came with it, in the order received",
    Schema.Array(
      Schema.Struct({
        id: described("The attachment's id", Schema.Int),
        filename: described("The name that the application gave it", Schema.String),
        content_type: described("What the application says that it is", Schema.String),
        type: described("What it is to the SDK, e.g. `event.attachment`", Schema.String),
        size: described("In bytes", Schema.Int),
      }),
    ),
  ),
  ingest_truncations: described("What was cut to fit the limits of ingestion", Schema.Array(Schema.String)),
  details_purged: described(
    "Whether retention has removed everything but what lists show: then the rest is empty here",
    Schema.Boolean,
  ),
}).annotations({
  identifier: "ReportDetail",
  examples: [
    {
      ...reportExample,
      updated_at: reportExample.created_at,
      custom_fingerprint: null,
      transaction: "GET /cart",
      transaction_source: "route",
      logger: "",
      dist: "",
      contexts: [{ name: "os", data: { name: "Linux" } }],
      user: {
        user_id: "7",
        username: "",
        email: "",
        ip_address: "203.0.113.7",
        geo_city: "",
        geo_region: "",
        geo_country_code: "",
        data: {},
      },
      request: {
        url: "https://shop.example.com/cart",
        method: "GET",
        query_string: "",
        data: {},
        cookies: {},
        headers: { accept: "text/html" },
        env: {},
      },
      sdk: { name: "sentry.javascript.node", version: "9.1.0" },
      extras: [{ key: "items", value: 0 }],
      dependencies: [{ name: "express", version: "4.18.0" }],
      release: { id: 8, version: "shop@1.4.0" },
      exceptions: [
        {
          type: "TypeError",
          value: "Cannot read properties of undefined (reading 'price')",
          module: null,
          thread_id: null,
          mechanism: { type: "middleware", handled: false },
          handled: false,
          frames: [{ filename: "src/cart.js", function: "total", lineno: 12, colno: 31, in_app: true }],
        },
      ],
      threads: [],
      breadcrumbs: [{ timestamp: "2026-01-05T09:29:59.000Z", category: "http", message: "GET /cart" }],
      debug_images: [],
      logentry: null,
      security_report: null,
      attachments: [
        {
          id: 11,
          filename: "cart.json",
          content_type: "application/json",
          type: "event.attachment",
          size: 2,
        },
      ],
      ingest_truncations: [],
      details_purged: false,
    },
  ],
})
export type ReportDetailView = typeof ReportDetailView.Type

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
    details_purged: report.isPurged,
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
