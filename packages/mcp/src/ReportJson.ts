/** Reports in results. */
import { bodyProblemText, type Report, type ReportSummary, reportUrl } from "@errata/core"
import type { ReportExcerpt, StackExcerpt } from "@errata/core/internal"
import { Schema } from "effect"
import { AnyObject, described, extending, Flag, Integer, present, shape, Text, texts } from "./Fields.js"
import { frameText } from "./FrameText.js"
import { iso, untrusted } from "./Result.js"
import { sourceJson } from "./SourceJson.js"

const fields = {
  id: Integer,
  event_id: Text,
  error_type: Text,
  error_message: Text,
  culprit: Text,
  occurred_at: Text,
  severity: Text,
  handled: described("Caught by the application", Flag),
  platform: Text,
  environment: Text,
  release_version: Text,
  server_name: Text,
  web_url: Text,
}

export const ReportJson = shape(fields)

const stackFields = {
  in_app: described("Frames of the application", Flag),
  frames: described("FILE:LINE:COLUMN in FUNCTION, innermost first", texts),
  variables: described("By frame", AnyObject),
  folded_count: Integer,
  folded: described("Other frames", texts),
}

const detailFields = {
  group_id: Integer,
  project_id: Integer,
  transaction: Text,
  request: Text,
  exceptions: described(
    "Last raised first, then its causes",
    Schema.Array(shape({ type: Text, value: Text, ...stackFields })),
  ),
  thread: described("Present without exceptions", AnyObject),
  source: described("By file; > marks a frame", AnyObject),
  breadcrumbs: described("Latest last", texts),
  tags: AnyObject,
  contexts: AnyObject,
  extras: AnyObject,
  attachments: described("Names by id", AnyObject),
  purged: described("Retention removed the details", Flag),
  unreadable: described("Why the details cannot be read from the object store", Text),
  truncated: described("full returns more", Flag),
}

export const ReportDetailJson = extending("list_reports", shape({ ...fields, ...detailFields }), detailFields)

/** Fields of listed reports that contain text of applications. */
export const untrustedOfReport = [
  "error_type",
  "error_message",
  "culprit",
  "platform",
  "environment",
  "release_version",
  "server_name",
]

export const reportJson = (report: ReportSummary, address: string | null): typeof ReportJson.Type =>
  present<typeof ReportJson.Type>(listed(report, address))

/** A report in detail. The text of its error is in the first exception; without exceptions it is in the report. */
export const reportDetailJson = (
  report: Report,
  excerpt: ReportExcerpt,
  address: string | null,
): typeof ReportDetailJson.Type => {
  const { culprit, error_message, error_type, ...rest } = listed(report, address)
  const isTitled = excerpt.exceptions.length > 0
  return present<typeof ReportDetailJson.Type>({
    ...rest,
    group_id: report.groupId,
    project_id: report.projectId,
    error_type: isTitled ? null : error_type,
    error_message: isTitled ? null : error_message,
    culprit,
    transaction: excerpt.transaction === culprit ? null : excerpt.transaction,
    request: excerpt.request,
    exceptions: excerpt.exceptions.map(({ type, value, ...stack }) =>
      present<Exception>({ type, value, ...stackJson(stack) }),
    ),
    thread:
      excerpt.thread === null
        ? null
        : present<Thread>({ name: excerpt.thread.name, ...stackJson(excerpt.thread) }),
    source: sourceJson(
      [...excerpt.exceptions, ...(excerpt.thread === null ? [] : [excerpt.thread])].flatMap(
        ({ frames }) => frames,
      ),
    ),
    breadcrumbs: excerpt.breadcrumbs.map(({ category, level, message, timestamp }) =>
      [timestamp, category, level === "info" ? "" : level, message].filter((text) => text !== "").join(" "),
    ),
    tags: Object.fromEntries(excerpt.tags),
    contexts: Object.fromEntries(excerpt.contexts),
    extras: Object.fromEntries(excerpt.extras),
    attachments: Object.fromEntries(excerpt.attachments),
    purged: report.isPurged || null,
    unreadable: report.unreadable === null ? null : bodyProblemText[report.unreadable],
    truncated: excerpt.truncated || null,
  })
}

// internal

type Stack = Partial<Schema.Struct.Type<typeof stackFields>>
type Exception = Stack & { readonly type?: string; readonly value?: string }
type Thread = Stack & { readonly name?: string }

const listed = (report: ReportSummary, address: string | null) => ({
  id: report.id,
  event_id: report.eventId,
  error_type: untrusted(report.errorType, 200),
  error_message: untrusted(report.errorMessage),
  culprit: untrusted(report.culprit, 200),
  occurred_at: iso(report.occurredAt),
  severity: report.severity,
  handled: report.handled,
  platform: untrusted(report.platform, 60),
  environment: untrusted(report.environment, 100),
  release_version: untrusted(report.releaseVersion, 200),
  server_name: untrusted(report.serverName, 100),
  web_url: reportUrl(address, report),
})

const stackJson = ({ areOfApplication, folded, foldedCount, frames }: StackExcerpt) => ({
  in_app: frames.length === 0 ? null : areOfApplication,
  frames: frames.map(frameText),
  variables: Object.fromEntries(
    frames
      .filter(({ variables }) => variables.length > 0)
      .map((frame): readonly [string, object] => [frameText(frame), Object.fromEntries(frame.variables)]),
  ),
  folded_count: foldedCount === 0 ? null : foldedCount,
  folded,
})
