/** Decodes stored payloads for recording. Implements the core's `PayloadDecoder`. */
import { ErrataConfig } from "@errata/core"
import {
  type Attachment,
  type DecodedPayload,
  type DiscardedEvents,
  type ErrorEvent,
  type IngestLimits,
  type Payload,
  PayloadDecodeError,
  PayloadDecoder,
  type UserFeedback,
} from "@errata/core/ports"
import { Effect, Layer, Result } from "effect"
import { type EnvelopeItem, parseEnvelope } from "./Envelope.js"
import { normalizeEventId } from "./EventId.js"
import { normalizeEvent } from "./EventNormalizer.js"
import { exampleEvent } from "./ExampleEvent.js"
import { Bounds, isCleanJson } from "./internal/Bounds.js"
import {
  eventOfFeedback,
  type GivenFeedback,
  ownIdOf,
  readFeedback,
  readUserReport,
} from "./internal/feedback.js"
import { decodeText, isRecord, parseJson, type UnknownRecord } from "./internal/json.js"
import { readReport } from "./internal/securityEvent.js"

/** Decodes a payload from `acceptSentryRequest`. Never throws. */
export const decodeSentryPayload = (
  payload: Payload,
  limits: IngestLimits,
): Result.Result<DecodedPayload, PayloadDecodeError> => {
  const body = Buffer.from(payload.body.buffer, payload.body.byteOffset, payload.body.byteLength)
  switch (payload.kind) {
    case "envelope":
      return decodeEnvelope(body, payload, limits)
    case "event": {
      const event = decodeEvent(body, payload, limits, undefined)
      return event === null ? notAnEvent : Result.succeed(onlyEvent(event))
    }
    case "security": {
      const report = parseJson(decodeText(body))
      return isRecord(report) && isRecord(report.data)
        ? Result.succeed(onlyEvent(reportEvent(report, report.data, payload, limits)))
        : fail("The report is not a JSON object")
    }
    default:
      return fail("The kind of the payload is unknown")
  }
}

/** The core's `PayloadDecoder` for the Sentry protocol, within the limits of `ErrataConfig`. */
export const layer = (): Layer.Layer<PayloadDecoder> =>
  Layer.effect(
    PayloadDecoder,
    Effect.map(ErrataConfig, ({ ingestLimits }) => ({
      decode: (payload: Payload) => decodeSentryPayload(payload, ingestLimits),
      example: exampleEvent,
    })),
  )

// internal

const fail = (reason: string): Result.Result<never, PayloadDecodeError> =>
  Result.fail(new PayloadDecodeError({ reason }))

const notAnEvent = fail("The event is not a JSON object")

const onlyEvent = (event: ErrorEvent): DecodedPayload => ({
  event,
  attachments: [],
  feedback: [],
  discarded: [],
})

const decodeEvent = (
  json: Buffer,
  payload: Payload,
  limits: IngestLimits,
  sentAt: unknown,
): ErrorEvent | null => {
  const text = decodeText(json)
  const event = parseJson(text)
  if (!isRecord(event)) return null
  const { eventId, receivedAt } = payload
  return normalizeEvent(event, { limits, eventId, receivedAt, sentAt, clean: isCleanJson(text) })
}

const decodeEnvelope = (
  body: Buffer,
  payload: Payload,
  limits: IngestLimits,
): Result.Result<DecodedPayload, PayloadDecodeError> => {
  const parsed = parseEnvelope(body, limits)
  if (Result.isFailure(parsed)) return fail(parsed.failure.detail)
  const { headers, items } = parsed.success
  const { eventId, receivedAt } = payload
  let event: ErrorEvent | null = null
  const attachments: Array<Attachment> = []
  const given: Array<GivenFeedback> = []
  const discarded: Array<DiscardedEvents> = []
  // Only for items besides the event, which has its own bounds.
  const bounds = new Bounds(limits, false)
  // A user report without an event id refers to the event in the envelope's header. Feedback has its own id.
  const named = typeof headers.event_id === "string" ? normalizeEventId(headers.event_id) : null
  const readReport = (value: UnknownRecord): GivenFeedback => {
    const report = readUserReport(value, bounds)
    return { ...report, eventId: report.eventId ?? named }
  }
  for (const item of items) {
    switch (item.type) {
      case "event":
        event = decodeEvent(item.payload, payload, limits, headers.sent_at)
        if (event === null) return notAnEvent
        break
      case "attachment":
        attachments.push(readAttachment(item, bounds))
        break
      default: {
        const value = parseJson(decodeText(item.payload))
        // An invalid item does not cost the event.
        if (!isRecord(value)) {
          if (items.length === 1) return fail(`The ${item.type} is not a JSON object`)
        } else if (item.type === "client_report") readDiscarded(value, bounds, discarded)
        else given.push(item.type === "feedback" ? readFeedback(value, bounds) : readReport(value))
      }
    }
  }
  const isSaid = ({ comments }: GivenFeedback) => comments !== ""
  const options = { limits, receivedAt, sentAt: headers.sent_at }
  if (event === null) {
    // Without an event, the first feedback without a reference becomes it. The rest belongs to it.
    const own = given.find((item) => item.eventId === null && (isSaid(item) || attachments.length > 0))
    if (own !== undefined) {
      event = eventOfFeedback(own, { ...options, eventId })
      given.splice(given.indexOf(own), 1)
    }
  }
  const feedback = given.filter(isSaid).map((item): UserFeedback => {
    const { comments, email, name } = item
    const said = { eventId: item.eventId ?? eventId, name, email, comments }
    if (event !== null && said.eventId === eventId) return said
    return { ...said, ownEvent: eventOfFeedback(item, { ...options, eventId: ownIdOf(item) }) }
  })
  return Result.succeed({ event, attachments, feedback, discarded })
}

const readAttachment = (item: EnvelopeItem, bounds: Bounds): Attachment => ({
  filename: bounds.short(item.headers.filename, "filename") || "attachment",
  contentType: bounds.short(item.headers.content_type, "content_type") || "application/octet-stream",
  type: bounds.short(item.headers.attachment_type, "attachment_type") || "event.attachment",
  body: item.payload,
})

const maxDiscarded = 100

const readDiscarded = (value: UnknownRecord, bounds: Bounds, out: Array<DiscardedEvents>): void => {
  const list = Array.isArray(value.discarded_events) ? value.discarded_events : []
  for (const entry of list.slice(0, maxDiscarded)) {
    if (!isRecord(entry) || !Number.isSafeInteger(entry.quantity) || Number(entry.quantity) <= 0) continue
    out.push({
      reason: bounds.scalar(entry.reason, bounds.limits.maxTagKeyBytes, "reason"),
      category: bounds.scalar(entry.category, bounds.limits.maxTagKeyBytes, "category"),
      quantity: Number(entry.quantity),
    })
  }
}

const reportEvent = (
  report: UnknownRecord,
  data: UnknownRecord,
  payload: Payload,
  limits: IngestLimits,
): ErrorEvent => {
  const { eventId, receivedAt } = payload
  const bounds = new Bounds(limits, false)
  const kind = bounds.short(report.kind, "report kind")
  const url = typeof report.url === "string" ? report.url : ""
  const security_report = readReport(kind, data, url, bounds)
  const base = normalizeEvent(
    {
      timestamp: (receivedAt - Number(report.age ?? 0)) / 1000,
      logger: kind,
      release: report.release,
      environment: report.environment,
      request: { url, headers: report.user_agent === "" ? {} : { "User-Agent": report.user_agent } },
      tags: { directive: security_report.directive, blocked: security_report.blocked },
    },
    { limits, eventId, receivedAt },
  )
  const ingest_truncations = [...bounds.truncations(), ...base.details.ingest_truncations]
  return { ...base, details: { ...base.details, security_report, ingest_truncations } }
}
