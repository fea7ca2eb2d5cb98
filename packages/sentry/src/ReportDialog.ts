/** The report dialog of browser SDKs: the event it refers to, and the user's input. */
import { Result } from "effect"
import { normalizeEventId } from "./EventId.js"
import { parseDsn, type SentryDsn } from "./SentryAuth.js"
import { SentryRejection, type SentryRejectionReason } from "./SentryRejection.js"
import type { AcceptedSentryRequest } from "./SentryRequest.js"

/** The fields of the form. */
export type ReportField = "name" | "email" | "comments"

/** A message for each field that is not valid. */
export type ReportFormErrors = Readonly<Partial<Record<ReportField, string>>>

/** The report that a user writes about in the dialog of an SDK. */
export interface ReportDialogTarget {
  readonly dsn: SentryDsn
  readonly eventId: string
}

/** Reads the query of a request: `dsn` and `eventId`. */
export const readReportDialog = (query: string): Result.Result<ReportDialogTarget, SentryRejection> => {
  const params = new URLSearchParams(query)
  const dsn = parseDsn(params.get("dsn") ?? "")
  if (dsn === null) return reject("missing_key", "The request has no dsn")
  const eventId = normalizeEventId(params.get("eventId") ?? "")
  return eventId === null
    ? reject("invalid_event_id", "The event id is not a UUID")
    : Result.succeed({ dsn, eventId })
}

/** Turns a sent form into a `user_report` of the event. */
export const acceptReportForm = (
  { dsn, eventId }: ReportDialogTarget,
  form: URLSearchParams,
): Result.Result<AcceptedSentryRequest, ReportFormErrors> => {
  const [name, email, comments] = (["name", "email", "comments"] as const).map((field) =>
    (form.get(field) ?? "").trim(),
  ) as [string, string, string]
  const errors: ReportFormErrors = {
    ...(comments === "" ? { comments: "Write what happened." } : {}),
    ...(email === "" || isEmail.test(email) ? {} : { email: "Enter an email address." }),
  }
  if (Object.keys(errors).length > 0) return Result.fail(errors)
  const report = JSON.stringify({ event_id: eventId, name, email, comments })
  return Result.succeed({
    key: dsn.key,
    eventId,
    payloads: [
      {
        kind: "envelope",
        eventId,
        body: Buffer.from(`{"event_id":"${eventId}"}\n{"type":"user_report"}\n${report}`),
      },
    ],
    reports: 1,
    unlimited: [],
  })
}

// internal

const isEmail = /^[^\s@]+@[^\s@]+$/

const reject = (reason: SentryRejectionReason, detail: string): Result.Result<never, SentryRejection> =>
  Result.fail(new SentryRejection({ reason, detail }))
