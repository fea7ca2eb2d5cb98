/**
 * Converts a request of a Sentry client to payloads for storage. Synchronous and without Effect, since it runs
 * thousands of times per second. The HTTP adapter reads the credentials, decodes the body and calls
 * `acceptSentryRequest`.
 */
import type { IngestLimits, Payload } from "@errata/core/ports"
import { Result } from "effect"
import { type Envelope, type EnvelopeItem, parseEnvelope, storedEnvelope } from "./Envelope.js"
import { normalizeEventId } from "./EventId.js"
import { decodeText, isRecord, parseJson, type UnknownRecord } from "./internal/json.js"
import { parseSecurityReports } from "./SecurityReports.js"
import { parseDsn, type SentryCredentials } from "./SentryAuth.js"
import { SentryRejection, type SentryRejectionReason } from "./SentryRejection.js"
import { parseStoreBody } from "./StoreBody.js"

/** The last segment of the request's path. */
export type SentryEndpoint = "envelope" | "store" | "security" | "nel"

/** A request of a Sentry SDK, for any server. */
export interface SentryRequest {
  readonly endpoint: SentryEndpoint
  /** The project id in the path. Null for the legacy `/api/store/`, where the key identifies the project. */
  readonly projectId: string | null
  /** The result of `readCredentials`. */
  readonly credentials: SentryCredentials | null
  /** Returns a header by its lower-case name. */
  readonly header: (name: string) => string | undefined
  /** The query string without `?`. */
  readonly query: string
  /** Decoded. For `GET`, the value of `sentry_data`. */
  readonly body: Buffer
}

/** The options for reading a request. */
export interface SentryAcceptOptions {
  readonly limits: IngestLimits
  /** 32 lowercase hexadecimal characters. */
  readonly generateEventId: () => string
}

/** The format of a payload, which `SentryPayloadDecoder` needs. */
export type SentryPayloadKind = "envelope" | "event" | "security"

/** A part of a request that must be stored. */
export interface AcceptedPayload extends Pick<Payload, "eventId" | "kind" | "body"> {
  readonly kind: SentryPayloadKind
  readonly body: Buffer
}

/** A request that can be accepted. */
export interface AcceptedSentryRequest {
  /** The key of the project, from the credentials or from the `dsn` in the envelope's header. */
  readonly key: string
  /** The event id for the response, or null to respond with `{}`. */
  readonly eventId: string | null
  /** Empty if nothing in the request is stored. */
  readonly payloads: ReadonlyArray<AcceptedPayload>
  /** Number of payloads that are, or may become, reports. */
  readonly reports: number
  /** Payloads to store even if reports are rejected: client reports of dropped events. */
  readonly unlimited: ReadonlyArray<AcceptedPayload>
}

/** Parses a request with a decoded body. Does not look up the key and stores nothing. */
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
    // The `dsn` only counts without other credentials: through a tunnel, it may name another project.
    const dsn = typeof envelope.headers.dsn === "string" ? parseDsn(envelope.headers.dsn) : null
    if (dsn === null) return missingKey
    if (request.projectId !== null && dsn.projectId !== request.projectId) {
      return reject("conflicting_project", "The envelope's dsn names another project")
    }
    key = dsn.key
  }
  // An envelope without stored items is accepted even if its event id is malformed.
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
 * Finds an item that is not a JSON object and without which nothing is stored. The client receives a 400. Invalid items
 * besides an event do not cost the event; the decoder drops them.
 */
const findUnreadable = (envelope: Envelope, event: EnvelopeItem | undefined): EnvelopeItem | undefined =>
  event === undefined
    ? envelope.items.find((item) => item.type !== "attachment" && !isJsonObject(item.payload))
    : isJsonObject(event.payload)
      ? undefined
      : event

const isJsonObject = (bytes: Buffer): boolean => isRecord(parseJson(decodeText(bytes)))

const isSpace = (byte: number): boolean => byte === 32 || (byte >= 9 && byte <= 13)

/** True if the item can become a report. */
const isReport = ({ type }: EnvelopeItem): boolean =>
  type === "event" || type === "user_report" || type === "feedback"

/** The client reports of an envelope. Most envelopes have none. */
const clientReports = (body: Buffer, envelope: Envelope, eventId: string): ReadonlyArray<AcceptedPayload> => {
  const items = envelope.items.filter(({ type }) => type === "client_report")
  if (items.length === 0) return []
  const skipped = envelope.skipped + envelope.items.length - items.length
  return [{ kind: "envelope", eventId, body: storedEnvelope(body, { ...envelope, items, skipped }) }]
}

// The id in the header, else that of the event, else that of the feedback. The event is parsed for this, but current
// clients send the id in the header.
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
  // Before envelopes, SDKs sent transactions to this endpoint.
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

// Null without an id, undefined if it is malformed.
const readEventId = (source: UnknownRecord): string | null | undefined => {
  const value = source.event_id
  if (value === undefined || value === null || value === "") return null
  return typeof value === "string" ? (normalizeEventId(value) ?? undefined) : undefined
}

const isBlank = (body: Buffer): boolean => {
  for (let i = 0; i < body.length; i++) if (!isSpace(body[i]!)) return false
  return true
}
