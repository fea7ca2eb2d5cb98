/** Formats a report for people. */
import type { ReportDetailView } from "@errata/api"
import { bodyProblemText } from "@errata/core"
import { sourcemapAdviceOf } from "@errata/core/internal"
import { DateTime, Option } from "effect"
import { printable } from "../Table.js"
import { type Field, fieldLines, yesNo } from "./Detail.js"
import { absolute } from "./Moments.js"
import { stackText } from "./StackText.js"

/** Lines with the readable parts of a report. The JSON has the rest. */
export const reportLines = (report: ReportDetailView, now: DateTime.DateTime): ReadonlyArray<string> => [
  ...titleLines(report),
  "",
  ...fieldLines([
    ["Report", report.id],
    ["Group", report.group_id],
    ["Event", report.event_id],
    ["Occurred", absolute(report.occurred_at, now)],
    ["Severity", report.severity],
    ["Handled", yesNo(report.handled)],
    ["Culprit", report.culprit],
    ["Logger", report.logger],
    ...circumstances(report),
    ["SDK", [report.sdk.name, report.sdk.version].filter(Boolean).join(" ")],
    ["Fingerprint", report.custom_fingerprint?.join(", ") ?? null],
    ["Source maps", sourcemapText(report)],
    ["Truncated", report.ingest_truncations.join(", ")],
    ["Link", report.web_url],
  ]),
  ...sourcemapAdvice(report),
  ...purgedLines(report),
  ...section("Stack", stackText(report, "all")),
  ...section("Tags", fieldLines(report.tags.map(({ key, value }) => [printable(key), value]))),
  ...section("Breadcrumbs", report.breadcrumbs.slice(-shownBreadcrumbs).map(breadcrumbLine)),
  ...section(
    "Attachments",
    report.attachments.map(({ content_type: type, filename, id, size }) =>
      printable(`${id}  ${filename} (${type}, ${size} bytes)`),
    ),
  ),
]

/** Lines for the latest report below its group: time, circumstances, and the application's frames. */
export const lastReportLines = (report: ReportDetailView, now: DateTime.DateTime): ReadonlyArray<string> => [
  "",
  `LAST REPORT  ${absolute(report.occurred_at, now)}`,
  ...fieldLines([["Report", report.id], ["Event", report.event_id], ...circumstances(report)]),
  ...(report.exceptions.length === 0 ? [] : ["", ...stackText(report, "in-app")]),
  ...purgedLines(report),
]

// internal

const shownBreadcrumbs = 20

/** Empty for reports without source maps. */
const sourcemapText = ({
  sourcemap_failure_code: code,
  sourcemap_status: status,
}: ReportDetailView): string =>
  status === "unprocessed" ? "" : code === null ? status : `${status}: ${code}`

/** Frames that came with their source lines need no source map. */
const sourcemapAdvice = ({
  exceptions,
  sourcemap_failure_code: code,
}: ReportDetailView): ReadonlyArray<string> =>
  code === null || exceptions.every(({ frames }) => frames.every((frame) => frame.context_line !== undefined))
    ? []
    : ["", sourcemapAdviceOf(code)]

const titleLines = ({ error_message: message, error_type: type }: ReportDetailView): ReadonlyArray<string> =>
  [type, message].filter(Boolean).join(": ").split(/\r?\n/).map(printable)

const purgedLines = ({
  details_purged: isPurged,
  details_unreadable: problem,
}: ReportDetailView): ReadonlyArray<string> => {
  if (isPurged) return ["", "Retention removed the details of this report."]
  return problem === null ? [] : ["", bodyProblemText[problem]]
}

/** Where the error occurred, and for which user. */
const circumstances = (report: ReportDetailView): ReadonlyArray<Field> => [
  ["Release", report.release_version],
  ["Environment", report.environment],
  ["Server", report.server_name],
  ["Platform", report.platform],
  ["Transaction", report.transaction],
  ["Request", [report.request.method, report.request.url].filter(Boolean).join(" ")],
  ["User", userText(report.user)],
]

const userText = (user: ReportDetailView["user"]): string =>
  [user.username, user.email, user.user_id, user.ip_address].filter(Boolean).join(", ")

const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : ["", title.toUpperCase(), ...lines]

const breadcrumbLine = (crumb: ReportDetailView["breadcrumbs"][number]): string =>
  printable(
    [timeOf(crumb["timestamp"]), crumb["category"] ?? crumb["type"], crumb["level"], crumb["message"]]
      .filter((part) => typeof part === "string" && part !== "")
      .join("  "),
  )

/** SDKs send Unix time in seconds or ISO 8601. */
const timeOf = (timestamp: unknown): string => {
  const moment =
    typeof timestamp === "number"
      ? DateTime.make(timestamp * 1000)
      : DateTime.make(typeof timestamp === "string" ? timestamp : Number.NaN)
  return Option.match(moment, { onNone: () => "", onSome: (at) => DateTime.formatIso(at).slice(11, 19) })
}
