/**
 * Reports of browsers: policy violations (CSP, Expect-CT, Expect-Staple, HPKP), reports of the Reporting API, and
 * failed network requests (NEL).
 */
import type { IngestLimits, JsonObject } from "@errata/core/ports"
import { Result } from "effect"
import { Bounds } from "./internal/Bounds.js"
import { decodeText, isRecord, parseJson, type UnknownRecord } from "./internal/json.js"
import { SentryRejection, type SentryRejectionReason } from "./SentryRejection.js"

/** A stored report. Each is one JSON document. */
export interface StoredSecurityReport {
  /** `csp`, `expect-ct`, `expect-staple`, `hpkp`, `nel`, or the `type` of a Reporting API report. */
  readonly kind: string
  /** URL of the page, if the report contains it. */
  readonly url: string
  readonly user_agent: string
  /** From `sentry_release` and `sentry_environment` in the query. */
  readonly release: string
  readonly environment: string
  /** Delay of the report in the browser, in milliseconds. */
  readonly age: number
  readonly data: JsonObject
}

/** A security report as a browser sends it. */
export interface SecurityReportInput {
  readonly contentType: string | undefined
  readonly userAgent: string | undefined
  readonly query: string
  readonly body: Buffer
}

/** Browsers send reports in batches. */
export const maxReportsPerRequest = 64

/** Parses the reports of a request to the `security` or `nel` endpoint for storage. */
export const parseSecurityReports = (
  input: SecurityReportInput,
  limits: IngestLimits,
): Result.Result<ReadonlyArray<StoredSecurityReport>, SentryRejection> => {
  if (!isReportType(input.contentType)) {
    return reject("unsupported_media_type", "The content type is not that of a security report")
  }
  if (input.body.length > limits.maxEventBytes) return reject("too_large", "The report is too large")
  const value = parseJson(decodeText(input.body))
  if (value === undefined) return reject("invalid_json", "The report is not JSON")
  const list = Array.isArray(value) ? value : [value]
  if (list.length > maxReportsPerRequest) {
    return reject("too_large", `More than ${maxReportsPerRequest} reports`)
  }
  const query = new URLSearchParams(input.query)
  const origin: Origin = {
    release: query.get("sentry_release") ?? "",
    environment: query.get("sentry_environment") ?? "",
    userAgent: input.userAgent ?? "",
    bounds: new Bounds(limits, false),
  }
  const reports: Array<StoredSecurityReport> = []
  for (const item of list) {
    const report = isRecord(item) ? readReport(item, origin) : null
    if (report === null) return reject("invalid_report", "The kind of report is unknown")
    reports.push(report)
  }
  return Result.succeed(reports)
}

// internal

interface Origin {
  readonly release: string
  readonly environment: string
  readonly userAgent: string
  readonly bounds: Bounds
}

const reportTypes = new Set([
  "application/json",
  "application/csp-report",
  "application/expect-ct-report",
  "application/expect-ct-report+json",
  "application/expect-staple-report",
  "application/expect-staple-report+json",
  "application/hpkp-report",
  "application/reports+json",
])

const isReportType = (contentType: string | undefined): boolean => {
  if (contentType === undefined || contentType === "") return true
  const parameters = contentType.indexOf(";")
  const type = parameters === -1 ? contentType : contentType.slice(0, parameters)
  return reportTypes.has(type.trim().toLowerCase())
}

// Wrappers of the older reports. Browsers separate words in the content with dashes, other clients with underscores.
const wrappers: ReadonlyArray<readonly [key: string, kind: string]> = [
  ["csp-report", "csp"],
  ["expect-ct-report", "expect-ct"],
  ["expect-staple-report", "expect-staple"],
]

// Types of the Reporting API whose kind has another name here.
const kinds: Readonly<Record<string, string>> = { "csp-violation": "csp", "network-error": "nel" }

const readReport = (item: UnknownRecord, origin: Origin): StoredSecurityReport | null => {
  for (const [key, kind] of wrappers) {
    const data = item[key]
    if (isRecord(data)) return stored(kind, data, text(data["document-uri"]), 0, origin)
  }
  if (typeof item.type === "string" && item.type !== "" && isRecord(item.body)) {
    const kind = Object.hasOwn(kinds, item.type) ? kinds[item.type]! : item.type.slice(0, 200)
    const age = typeof item.age === "number" && item.age > 0 && item.age < maxAge ? Math.round(item.age) : 0
    const report = stored(kind, item.body, text(item.url), age, origin)
    return typeof item.user_agent === "string" ? { ...report, user_agent: item.user_agent } : report
  }
  if ("known-pins" in item || "validated-certificate-chain" in item) {
    return stored("hpkp", item, text(item.hostname), 0, origin)
  }
  return null
}

const maxAge = 30 * 24 * 3_600_000

const stored = (
  kind: string,
  data: UnknownRecord,
  url: string,
  age: number,
  origin: Origin,
): StoredSecurityReport => ({
  kind,
  url,
  user_agent: origin.userAgent,
  release: origin.release,
  environment: origin.environment,
  age,
  // Bounded before it is serialized again: unlimited nesting would overflow the stack.
  data: origin.bounds.object(data, 2, "report"),
})

const text = (value: unknown): string => (typeof value === "string" ? value : "")

const reject = (reason: SentryRejectionReason, detail: string): Result.Result<never, SentryRejection> =>
  Result.fail(new SentryRejection({ reason, detail }))
