/** Reports in results. */
import type { Report, ReportExcerpt, ReportSummary } from "@errata/core"
import { Schema } from "effect"
import { AnyObject, described, Flag, Integer, NullableText, Text } from "./Fields.js"
import { iso, truncatedField, untrusted, untrustedField } from "./Result.js"

const fields = {
  id: Integer,
  group_id: Integer,
  project_id: Integer,
  event_id: NullableText,
  error_type: Text,
  error_message: Text,
  culprit: Text,
  occurred_at: Text,
  severity: Text,
  handled: described("False where nothing in the application caught it", Flag),
  platform: Text,
  environment: Text,
  release_version: Text,
  server_name: Text,
  ...untrustedField,
}

export const ReportJson = Schema.Struct(fields)

/** Of frames, breadcrumbs and their like only what is there. */
export const ReportDetailJson = Schema.Struct({
  ...fields,
  transaction: Text,
  request: Text,
  exceptions: described(
    "The one raised last first, its causes after it; frames of the application, the innermost first, the others folded",
    Schema.Array(AnyObject),
  ),
  thread: described("Where there is no exception: the thread that crashed or ran", Schema.Array(AnyObject)),
  breadcrumbs: described("What happened before, the latest last", Schema.Array(AnyObject)),
  tags: AnyObject,
  contexts: AnyObject,
  extras: AnyObject,
  attachments: Schema.Array(AnyObject),
  ...truncatedField,
})

const untrusted_fields = [
  "error_type",
  "error_message",
  "culprit",
  "platform",
  "environment",
  "release_version",
  "server_name",
]

export const reportJson = (report: ReportSummary): typeof ReportJson.Type => ({
  id: report.id,
  group_id: report.groupId,
  project_id: report.projectId,
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
  untrusted_fields,
})

export const reportDetailJson = (report: Report, excerpt: ReportExcerpt): typeof ReportDetailJson.Type => ({
  ...reportJson(report),
  transaction: excerpt.transaction,
  request: excerpt.request,
  exceptions: excerpt.exceptions.map(({ handled, type, value, ...stack }) => ({
    type,
    value,
    handled,
    ...stackJson(stack),
  })),
  thread: excerpt.thread === null ? [] : [{ name: excerpt.thread.name, ...stackJson(excerpt.thread) }],
  breadcrumbs: excerpt.breadcrumbs.map((breadcrumb) => withoutEmpty({ ...breadcrumb })),
  tags: Object.fromEntries(excerpt.tags),
  contexts: Object.fromEntries(excerpt.contexts),
  extras: Object.fromEntries(excerpt.extras),
  attachments: excerpt.attachments.map(([id, filename]) => ({ id, filename })),
  truncated: excerpt.truncated,
  untrusted_fields: [
    ...untrusted_fields,
    "transaction",
    "request",
    "exceptions",
    "thread",
    "breadcrumbs",
    "tags",
    "contexts",
    "extras",
    "attachments",
  ],
})

// internal

type Stack = Omit<ReportExcerpt["exceptions"][number], "type" | "value" | "handled">

const stackJson = ({ areOfApplication, folded, foldedCount, frames }: Stack) => ({
  in_app: areOfApplication,
  frames: frames.map((frame) =>
    withoutEmpty({
      place: frame.place,
      function: frame.function,
      source: frame.source,
      ...(frame.variables.length === 0 ? {} : { variables: Object.fromEntries(frame.variables) }),
    }),
  ),
  folded_count: foldedCount,
  folded,
})

const withoutEmpty = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""))
