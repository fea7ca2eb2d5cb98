/** Transports of events that are not Sentry's: how messages enter, and how their bodies become events. */
import { createHash } from "node:crypto"
import { types } from "node:util"
import { Clock, Effect, Result } from "effect"
import { ErrataConfig } from "../ErrataConfig.js"
import { type ErrorEventParts, makeErrorEvent } from "../event/ErrorEventBuilder.js"
import { type Payload, PayloadDecodeError, type PayloadDecoder } from "../payload/PayloadDecoder.js"
import type { ProjectId } from "../project/Project.js"
import { Intake } from "./Intake.js"
import type { IntakePauseReason } from "./IntakePaused.js"

/** An event without its id. `occurredAt` is the time of receipt by default. */
export type TransportEvent = Omit<ErrorEventParts, "eventId" | "occurredAt"> &
  Partial<Pick<ErrorEventParts, "occurredAt">>

/** An error as a transport received it. */
export interface IngestMessage {
  /** The project, or the token of a project that the sender has shown. */
  readonly project: ProjectId | { readonly token: string }
  /** The message's own id. Messages of a project with the same id are recorded once. */
  readonly id: string
  readonly body: Uint8Array
}

/** The outcome of a message. */
export type IngestOutcome =
  /** It is durable. */
  | { readonly _tag: "Accepted"; readonly eventId: string }
  /** Nothing was stored. The same message may be accepted later. */
  | {
      readonly _tag: "Later"
      readonly reason: IntakePauseReason | "storage"
      readonly retryAfterSeconds: number
    }
  /** Nothing was stored, and sending the message again does not help. */
  | { readonly _tag: "Refused"; readonly reason: "token" | "size" }

/** The protocol of a transport: its name, its bodies and its replies. */
export interface TransportOptions<Reply> {
  /** Marks the stored payloads of this transport. It must never change. Not `envelope`, `event` or `security`. */
  readonly kind: string
  /**
   * Reads a body. If it throws, the payload becomes a dead letter with the error's message. It runs again when a report is
   * read, so later versions must still read the stored bodies.
   */
  readonly decode: (body: Uint8Array) => TransportEvent
  /** Puts an outcome into the words of the transport. */
  readonly reply: (outcome: IngestOutcome) => Reply
}

/** Accepts errors of another protocol. */
export interface IngestTransport<Reply> extends TransportOptions<Reply> {
  /** Stores a message and returns the reply. It never fails, but dies with a TypeError for a malformed message. */
  readonly accept: (message: IngestMessage) => Effect.Effect<Reply, never, Intake>
}

/**
 * Makes a transport. Pass it to `Errata.layer` or `createErrata` as one of `transports`, so that its payloads are decoded.
 *
 * @example
 * ```ts
 * const jobs = ingestTransport({
 *   kind: "job-failure",
 *   decode: (body) => {
 *     const { job, message } = JSON.parse(new TextDecoder().decode(body))
 *     return { transaction: job, exceptions: [{ type: "JobFailure", value: message, frames: [] }] }
 *   },
 *   reply: ({ _tag }) => (_tag === "Later" ? "retry" : "done"),
 * })
 * ```
 */
export const ingestTransport = <Reply>(options: TransportOptions<Reply>): IngestTransport<Reply> => {
  const { kind } = options
  if (typeof kind !== "string" || kind === "" || kindsOfSentry.has(kind)) {
    throw new TypeError(`The kind of a transport must be a name of its own, not ${JSON.stringify(kind)}`)
  }
  return { ...options, accept: (message) => Effect.map(accept(kind, message), options.reply) }
}

/** A decoder that also reads the payloads of transports. Throws a TypeError if two of them have the same kind. */
export const decodingTransports = (
  decoder: PayloadDecoder["Service"],
  transports: ReadonlyArray<IngestTransport<unknown>>,
): PayloadDecoder["Service"] => {
  const byKind = new Map(transports.map((transport) => [transport.kind, transport]))
  if (byKind.size < transports.length) throw new TypeError("Two transports have the same kind")
  return {
    ...decoder,
    decode: (payload) => {
      const transport = byKind.get(payload.kind)
      return transport === undefined ? decoder.decode(payload) : decoded(transport, payload)
    },
  }
}

// internal

/** Every instance accepts these. */
const kindsOfSentry: ReadonlySet<unknown> = new Set(["envelope", "event", "security"])

/** A body without a length would break the limits of the queue for all later events. */
const isMessage = ({ body, id }: IngestMessage): boolean =>
  types.isUint8Array(body) && typeof id === "string" && id !== ""

const accept = (kind: string, message: IngestMessage): Effect.Effect<IngestOutcome, never, Intake> =>
  Effect.gen(function* () {
    if (!isMessage(message)) return yield* Effect.die(new TypeError(malformed))
    const { body, id, project } = message
    const { ingestLimits } = yield* ErrataConfig
    if (body.byteLength > ingestLimits.maxEventBytes) return { _tag: "Refused", reason: "size" } as const
    const intake = yield* Intake
    const projectId = typeof project === "number" ? project : yield* intake.authenticate(project.token, null)
    const eventId = createHash("sha256").update(`${kind}\n${id}`).digest("hex").slice(0, 32)
    const receivedAt = yield* Clock.currentTimeMillis
    yield* intake.accept([{ projectId, eventId, kind, receivedAt, body }])
    return { _tag: "Accepted", eventId } as const
  }).pipe(
    Effect.catchTags({
      UnknownCredential: () => Effect.succeed({ _tag: "Refused", reason: "token" } as const),
      IntakePaused: ({ reason, retryAfterSeconds }) =>
        Effect.succeed({ _tag: "Later", reason, retryAfterSeconds } as const),
      IntakeUnavailable: () =>
        Effect.succeed({ _tag: "Later", reason: "storage", retryAfterSeconds: outageSeconds } as const),
    }),
  )

const malformed = "A message needs its id as a text, and its body as a Uint8Array or Buffer"

/** A storage that is unreachable is often back after some seconds. */
const outageSeconds = 5

const decoded = (
  { decode }: IngestTransport<unknown>,
  { body, eventId, receivedAt }: Payload,
): ReturnType<PayloadDecoder["Service"]["decode"]> =>
  Result.try({
    try: () => ({
      event: makeErrorEvent({ occurredAt: receivedAt, ...eventOf(decode(body)), eventId }),
      attachments: [],
      feedback: [],
      discarded: [],
    }),
    catch: (error) =>
      new PayloadDecodeError({ reason: error instanceof Error ? error.message : String(error) }),
  })

/** Programs without types may return a promise, which would be recorded as an event without content. */
const eventOf = (event: TransportEvent): TransportEvent => {
  if (typeof event === "object" && event !== null && !("then" in event)) return event
  throw new TypeError("decode of the transport returned no event. It must not be asynchronous")
}
