/**
 * The accept side as a whole: from a request of a Sentry client to the payloads that are to be stored.
 *
 * Synchronous and without Effect inside, because it runs thousands of times a second; an HTTP adapter reads the
 * credentials, takes off the content coding and calls `acceptSentryRequest`.
 */
import type { IngestLimits, Payload } from "@errata/core/ports"
import { Result } from "effect"
import { type Envelope, type EnvelopeItem, parseEnvelope, storedEnvelope } from "./Envelope.js"
import { normalizeEventId } from "./EventId.js"
import { decodeText, isRecord, parseJson, type UnknownRecord } from "./internal/json.js"
import { isJsonObject } from "./internal/jsonScan.js"
import { parseSecurityReports } from "./SecurityReports.js"
import { parseDsn, type SentryCredentials } from "./SentryAuth.js"
import { SentryRejection, type SentryRejectionReason } from "./SentryRejection.js"
import { parseStoreBody } from "./StoreBody.js"

/** The end of the path that a request came in by. */
export type SentryEndpoint = "envelope" | "store" | "security" | "nel"

/** A request of a Sentry SDK, whatever the server. */
export interface SentryRequest {
  readonly endpoint: SentryEndpoint
  /** The project id in the path; null for the legacy `/api/store/`, where the key alone tells. */
  readonly projectId: string | null
  /** What `readCredentials` found. */
  readonly credentials: SentryCredentials | null
  /** A header by its lower-case name. */
  readonly header: (name: string) => string | undefined
  /** The query string without its `?`. */
  readonly query: string
  /** Without content coding; for `GET` the value of `sentry_data`. */
  readonly body: Buffer
}

/** The options for reading a request. */
export interface SentryAcceptOptions {
  readonly limits: IngestLimits
  /** 32 lowercase hexadecimal characters. */
  readonly generateEventId: () => string
}

/** How a payload is framed; `SentryPayloadDecoder` knows them again by it. */
export type SentryPayloadKind = "envelope" | "event" | "security"

/** A part of a request that must be stored. */
export interface AcceptedPayload extends Pick<Payload, "eventId" | "kind" | "body"> {
  readonly kind: SentryPayloadKind
  readonly body: Buffer
}

/** A request that can be accepted. */
export interface AcceptedSentryRequest {
  /** The key to look the project up by: the credentials', else the one of the `dsn` in the envelope's header. */
  readonly key: string
  /** The id to answer; null where the answer is `{}`. */
  readonly eventId: string | null
  /** Empty where nothing in the request is stored. */
  readonly payloads: ReadonlyArray<AcceptedPayload>
  /** How many of the payloads are, or may become, reports. */
  readonly reports: number
  /** What is to be stored where reports are not accepted now: clients' own counts of what they dropped. */
  readonly unlimited: ReadonlyArray<AcceptedPayload>
}

/** Reads a request whose body is decoded. It looks no key up and stores nothing. */
export const acceptSentryRequest = (
  request: SentryRequest,
  options: SentryAcceptOptions,
): Result.Result<AcceptedSentryRequest, SentryRejection> => {
  if (request.endpoint === "envelope") return acceptEnvelope(request, options)
  if (request.credentials === null) return missingKey
  const key = request.credentials.key
  if (isBlank(request.body)) return Result.succeed(nothingOf(key))
  return request.endpoint === "store"
    ? acceptStore(request, key, options)
    : acceptReports(request, key, options)
}

// internal

const reject = (reason: SentryRejectionReason, detail: string): Result.Result<never, SentryRejection> =>
  Result.fail(new SentryRejection({ reason, detail }))

const nothingOf = (key: string): AcceptedSentryRequest => ({
  key,
  eventId: null,
  payloads: [],
  reports: 0,
  unlimited: [],
})

const missingKey = reject("missing_key", "The request has no key")
const invalidEventId = reject("invalid_event_id", "The event id is not a UUID")

const acceptEnvelope = (
  request: SentryRequest,
  options: SentryAcceptOptions,
): Result.Result<AcceptedSentryRequest, SentryRejection> => {
  const parsed = parseEnvelope(request.body, options.limits)
  if (Result.isFailure(parsed)) return Result.fail(parsed.failure)
  const envelope = parsed.success

  let key = request.credentials?.key
  if (key === undefined) {
    // Only a request without any other credential is bound to the `dsn`: a tunnel's may name a foreign project.
    const dsn = typeof envelope.headers.dsn === "string" ? parseDsn(envelope.headers.dsn) : null
    if (dsn === null) return missingKey
    if (request.projectId !== null && dsn.projectId !== request.projectId) {
      return reject("conflicting_project", "The envelope's dsn names another project")
    }
    key = dsn.key
  }
  // Not even a malformed event id is held against an envelope of which nothing is stored.
  if (envelope.items.length === 0) return Result.succeed(nothingOf(key))

  const event = envelope.items.find((item) => item.type === "event")
  const unreadable = findUnreadable(envelope, event)
  if (unreadable !== undefined) {
    return reject("invalid_json", `The ${unreadable.type} is not a JSON object`)
  }
  const named = eventIdOf(envelope)
  if (named === undefined) return invalidEventId
  const eventId = named ?? options.generateEventId()
  const hasReport = envelope.items.some(isReport)
  return Result.succeed({
    key,
    eventId: named !== null || hasReport ? eventId : null,
    payloads: [{ kind: "envelope", eventId, body: storedEnvelope(request.body, envelope) }],
    reports: hasReport ? 1 : 0,
    unlimited: hasReport ? clientReports(request.body, envelope, eventId) : [],
  })
}

/**
 * An item that is no JSON object, where nothing is stored but for it: the client learns it at once, by the 400. What
 * stands beside an event is not worth losing the event for; the decoder leaves it out.
 *
 * Checking an event of 3 KB takes 7 microseconds and one of 39 KB 75, where parsing takes 17 and 113. Looking at its
 * first and last byte alone would be free, and would answer 200 to every event that was damaged in between.
 */
const findUnreadable = (envelope: Envelope, event: EnvelopeItem | undefined): EnvelopeItem | undefined =>
  event === undefined
    ? envelope.items.find((item) => item.type !== "attachment" && !isJsonObject(item.payload))
    : isJsonObject(event.payload)
      ? undefined
      : event

const isSpace = (byte: number): boolean => byte === 32 || (byte >= 9 && byte <= 13)

/** Whether a report can come of the item. */
const isReport = ({ type }: EnvelopeItem): boolean =>
  type === "event" || type === "user_report" || type === "feedback"

/** What an envelope holds besides of what its client dropped; most hold nothing of it. */
const clientReports = (body: Buffer, envelope: Envelope, eventId: string): ReadonlyArray<AcceptedPayload> => {
  const items = envelope.items.filter(({ type }) => type === "client_report")
  if (items.length === 0) return []
  const skipped = envelope.skipped + envelope.items.length - items.length
  return [{ kind: "envelope", eventId, body: storedEnvelope(body, { ...envelope, items, skipped }) }]
}

// The header's id, else the one in the event, or in the report of a user where there is no event. An event is parsed
// for its id only, and no client of today sends one without an id in the header.
const eventIdOf = (envelope: Envelope): string | null | undefined => {
  const named = readEventId(envelope.headers)
  if (named !== null) return named
  const item =
    envelope.items.find((candidate) => candidate.type === "event") ??
    envelope.items.find((candidate) => candidate.type === "user_report" || candidate.type === "feedback")
  if (item === undefined) return null
  const value = parseJson(decodeText(item.payload))
  return isRecord(value) ? readEventId(value) : null
}

const acceptStore = (
  request: SentryRequest,
  key: string,
  options: SentryAcceptOptions,
): Result.Result<AcceptedSentryRequest, SentryRejection> => {
  const parsed = parseStoreBody(request.body, options.limits)
  if (Result.isFailure(parsed)) return Result.fail(parsed.failure)
  const { event, json } = parsed.success
  // Before envelopes, transactions came here too.
  if (event.type === "transaction") {
    return Result.succeed(nothingOf(key))
  }
  const named = readEventId(event)
  if (named === undefined) return invalidEventId
  const eventId = named ?? options.generateEventId()
  return Result.succeed({
    key,
    eventId,
    payloads: [{ kind: "event", eventId, body: json }],
    reports: 1,
    unlimited: [],
  })
}

const acceptReports = (
  request: SentryRequest,
  key: string,
  options: SentryAcceptOptions,
): Result.Result<AcceptedSentryRequest, SentryRejection> => {
  const reports = parseSecurityReports(
    {
      contentType: request.header("content-type"),
      userAgent: request.header("user-agent"),
      query: request.query,
      body: request.body,
    },
    options.limits,
  )
  if (Result.isFailure(reports)) return Result.fail(reports.failure)
  const payloads = reports.success.map(
    (report): AcceptedPayload => ({
      kind: "security",
      eventId: options.generateEventId(),
      body: Buffer.from(JSON.stringify(report)),
    }),
  )
  const first = payloads[0]
  return Result.succeed({
    key,
    eventId: first?.eventId ?? null,
    payloads,
    reports: payloads.length,
    unlimited: [],
  })
}

// Null where there is none, undefined where it is malformed.
const readEventId = (source: UnknownRecord): string | null | undefined => {
  const value = source.event_id
  if (value === undefined || value === null || value === "") return null
  return typeof value === "string" ? (normalizeEventId(value) ?? undefined) : undefined
}

const isBlank = (body: Buffer): boolean => {
  for (let i = 0; i < body.length; i++) if (!isSpace(body[i]!)) return false
  return true
}
