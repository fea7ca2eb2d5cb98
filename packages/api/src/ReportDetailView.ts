/** Single reports in the API, with all their details. */
import type { Report } from "@errata/core"
import type { EventUser, ExceptionValue, ReportNavigation } from "@errata/core/ports"
import { Schema } from "effect"
import { flag, int, intOrNull, text, textOrNull, time, viewOf } from "./Fields.js"
import { described, JsonObject, named } from "./Json.js"
import { optional } from "./Params.js"
import { reportExample, reportFields, reportView } from "./ReportView.js"
import { Exception } from "./StackView.js"

/** The neighbors of a report in its group. */
const ReportNavigationView = Schema.Struct({
  first_id: intOrNull("Id of the oldest report"),
  previous_id: intOrNull("Id of the next older report. Null at the oldest"),
  next_id: intOrNull("Id of the next newer report. Null at the newest"),
  last_id: intOrNull("Id of the newest report"),
}).pipe(named("ReportNavigation", { first_id: 1200, previous_id: 1231, next_id: null, last_id: 1234 }))

/** An attachment without its content. */
const AttachmentView = Schema.Struct({
  id: int("Id of the attachment"),
  filename: text("File name from the application"),
  content_type: text("Content type from the application"),
  type: text("Attachment type from the SDK, e.g. `event.attachment`"),
  size: int("Size in bytes"),
})

/** A report with all of its details, as REST shows it. */
export const ReportDetailView = Schema.Struct({
  ...reportFields,
  updated_at: time("Time of the last change"),
  custom_fingerprint: described(
    "Fingerprint set by the application, or null",
    Schema.NullOr(Schema.Array(Schema.String)),
  ),
  transaction: text("Transaction of the application, e.g. a route. Empty if unknown"),
  transaction_source: textOrNull("Source of the transaction name, e.g. `route`. Null if unknown"),
  logger: text("Name of the logger. Empty if none"),
  dist: text("Distribution of the release. Empty if none"),
  contexts: described(
    "Contexts such as the operating system, in the order received",
    Schema.Array(
      Schema.Struct({
        name: text("Name of the context, e.g. `os`"),
        data: described("Data of the context", JsonObject),
      }),
    ),
  ),
  user: described(
    "User of the application. Empty if unknown",
    Schema.Struct({
      user_id: text("Id of the user in the application"),
      username: text("Name of the user"),
      email: text("Email address of the user"),
      ip_address: text("IP address of the user"),
      geo_city: text("City of the user"),
      geo_region: text("Region of the user"),
      geo_country_code: text("Country of the user"),
      data: described("Further data about the user", JsonObject),
    }),
  ),
  request: described(
    "HTTP request that the application was serving. Empty if none",
    Schema.Struct({
      url: text("URL of the request"),
      method: text("Method of the request"),
      query_string: text("Query of the URL"),
      data: described("Body of the request", JsonObject),
      cookies: described("Cookies by name", JsonObject),
      headers: described("Headers by name", JsonObject),
      env: described("Environment variables of the web server", JsonObject),
    }),
  ),
  sdk: described(
    "SDK that sent the report. Empty if unknown",
    Schema.Struct({
      name: text("Name of the SDK, e.g. `sentry.javascript.node`"),
      version: text("Version"),
    }),
  ),
  extras: described(
    "Further data from the application, in the order received",
    Schema.Array(
      Schema.Struct({
        key: text("Name"),
        value: described("Any JSON", Schema.Unknown),
      }),
    ),
  ),
  dependencies: described(
    "Packages of the application",
    Schema.Array(
      Schema.Struct({
        name: text("Name of the package"),
        version: text("Version"),
      }),
    ),
  ),
  release: described(
    "Release of the application. Null if unknown",
    Schema.NullOr(
      Schema.Struct({
        id: int("Id of the release"),
        version: text("Version"),
      }),
    ),
  ),
  exceptions: described("Exceptions, oldest cause first, as received", Schema.Array(Exception)),
  threads: described("Threads, as received", Schema.Array(JsonObject)),
  breadcrumbs: described("Breadcrumbs, oldest first", Schema.Array(JsonObject)),
  debug_images: described("Loaded binaries", Schema.Array(JsonObject)),
  logentry: described("Logged message, or null", Schema.NullOr(JsonObject)),
  security_report: described("Browser report about a violated policy, or null", Schema.NullOr(JsonObject)),
  attachments: described("Attachments, in the order received", Schema.Array(AttachmentView)),
  ingest_truncations: described("Data that was truncated by the ingest limits", Schema.Array(Schema.String)),
  details_purged: flag(
    "True if retention removed the details. Then all fields except those in lists are empty",
  ),
  details_unreadable: described(
    "Why the details cannot be read, or null. The report then has only attachments and the fields of lists",
    Schema.NullOr(Schema.Literals(["missing", "damaged", "unreachable", "no_store"])),
  ),
  navigation: described(
    "Other reports of the group. Only present with `include=navigation`",
    optional(ReportNavigationView),
  ),
}).pipe(
  named("ReportDetail", {
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
    details_unreadable: null,
  }),
)
export type ReportDetailView = typeof ReportDetailView.Type

export const reportDetailView = (
  report: Report,
  address: string | null,
  navigation: ReportNavigation | null = null,
): ReportDetailView => {
  const { details } = report
  return {
    ...reportView(report, address),
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
    attachments: report.attachments.map(attachmentView),
    ingest_truncations: details?.ingest_truncations ?? [],
    details_purged: report.isPurged,
    details_unreadable: report.unreadable,
    ...(navigation !== null && { navigation: navigationView(navigation) }),
  }
}

// internal

const attachmentView = viewOf(AttachmentView.fields)

const navigationView = viewOf(ReportNavigationView.fields)

const exceptionView = (exception: ExceptionValue): typeof Exception.Type => ({
  type: exception.type ?? null,
  value: exception.value ?? null,
  module: exception.module ?? null,
  thread_id: exception.thread_id ?? null,
  mechanism: exception.mechanism ? asObject(exception.mechanism) : null,
  handled: exception.mechanism?.handled ?? null,
  frames: exception.frames.map(asObject),
})

// Interfaces have no index signature.
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
