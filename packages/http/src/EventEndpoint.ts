/** Receives the events, envelopes and security reports of Sentry clients. */
import { ErrataConfig, Intake, type ProjectId } from "@errata/core"
import { Secrets } from "@errata/core/internal"
import type { Payload } from "@errata/core/ports"
import {
  type AcceptedSentryRequest,
  acceptSentryRequest,
  decodeBodySync,
  makeBodyDecoder,
  prefixInputBytes,
  readCredentials,
  type SentryCredentials,
  type SentryRejection,
} from "@errata/sentry"
import { Clock, Effect, Result } from "effect"
import * as Answer from "./IngestAnswer.js"
import type { IngestFailure } from "./IngestFailure.js"
import type { IngestRequest } from "./IngestRequest.js"
import type { EventRoute } from "./IngestRoute.js"
import * as RequestBody from "./RequestBody.js"

export type EventRequest = IngestRequest<EventRoute>

export type Answering = Effect.Effect<Answer.IngestAnswer, IngestFailure>

export interface EventEndpoint {
  readonly answer: (request: EventRequest) => Answering
  /** Stores the accepted items of a request for a project. */
  readonly store: (accepted: AcceptedSentryRequest, projectId: ProjectId) => Answering
}

export const make: Effect.Effect<EventEndpoint, never, Intake> = Effect.gen(function* () {
  const { ingestLimits: limits } = yield* ErrataConfig
  const intake = yield* Intake
  const decoder = makeBodyDecoder(limits.maxBodyBytes)
  const options = { limits, generateEventId: Secrets.generateEventId }
  /** One byte more than a first line may have. */
  const firstLineBytes = limits.maxHeaderLineBytes + 1

  const store = Effect.fnUntraced(function* (accepted: AcceptedSentryRequest, projectId: ProjectId) {
    if (accepted.payloads.length === 0) return Answer.nothing
    const receivedAt = yield* Clock.currentTimeMillis
    const payloadsOf = (some: AcceptedSentryRequest["payloads"]) =>
      some.map(({ body, eventId, kind }): Payload => ({ projectId, eventId, kind, receivedAt, body }))
    // The rate does not limit these, so they are stored even if it rejects the rest.
    const storeUnlimited = Effect.suspend(() =>
      accepted.unlimited.length === 0
        ? Effect.void
        : Effect.ignore(intake.accept(payloadsOf(accepted.unlimited), 0)),
    )
    yield* Effect.tapError(intake.accept(payloadsOf(accepted.payloads), accepted.reports), (error) =>
      error._tag === "IntakePaused" ? storeUnlimited : Effect.void,
    )
    return accepted.eventId === null ? Answer.nothing : Answer.accepted(accepted.eventId)
  })

  const take = (
    { header, route }: EventRequest,
    credentials: SentryCredentials | null,
    body: Buffer,
  ): Result.Result<AcceptedSentryRequest, SentryRejection> =>
    acceptSentryRequest(
      { endpoint: route.endpoint, projectId: route.projectId, credentials, header, query: route.query, body },
      options,
    )

  const receive = Effect.fnUntraced(function* (
    request: EventRequest,
    credentials: SentryCredentials | null,
    projectId: ProjectId,
  ) {
    request.body.identify(projectId)
    const body = yield* request.body.read
    const takeAndStore = (decoded: Buffer): Answering =>
      Effect.flatMap(Effect.fromResult(take(request, credentials, decoded)), (accepted) =>
        store(accepted, projectId),
      )
    const encoding = request.header("content-encoding")
    const decoded = decodeBodySync(body, encoding, limits.maxBodyBytes)
    // A small body can decode slowly to a large one, so projects take turns.
    if (decoded === null) return yield* decoder.withDecoded(body, encoding, projectId, takeAndStore)
    return yield* takeAndStore(yield* Effect.fromResult(decoded))
  })

  /** Receives an envelope with its key in the `dsn` of the first line. Verifies the key before it reads the rest. */
  const receiveFromStranger = (request: EventRequest, minBytes = 1): Answering =>
    Effect.gen(function* () {
      const encoding = request.header("content-encoding")
      const enough = prefixInputBytes(encoding, firstLineBytes)
      const { bytes, isAll } = yield* request.body.prefix(minBytes)
      const start = yield* decoder.prefix(bytes, encoding, firstLineBytes, request.body.address)
      const end = start.indexOf(newline)
      if (end === -1 && start.length < firstLineBytes && !isAll) {
        if (bytes.length >= enough) return yield* new RequestBody.BodyRejected({ reason: "too_large" })
        return yield* receiveFromStranger(request, Math.min(bytes.length * 2, enough))
      }
      const { key } = yield* Effect.fromResult(
        take(request, null, end === -1 ? start : start.subarray(0, end)),
      )
      return yield* receive(request, null, yield* intake.authenticate(key, projectIdOf(request)))
    })

  const post = (request: EventRequest): Answering => {
    const { route } = request
    const read = readCredentials({ header: request.header, query: route.query })
    if (Result.isFailure(read)) return Effect.fail(read.failure)
    const credentials = read.success
    if (credentials === null) {
      // Only an envelope can contain its key.
      return route.endpoint === "envelope" ? receiveFromStranger(request) : Effect.succeed(Answer.missingKey)
    }
    // The key is verified before the body is read.
    return Effect.flatMap(intake.authenticate(credentials.key, projectIdOf(request)), (projectId) =>
      receive(request, credentials, projectId),
    )
  }

  const get = (request: EventRequest, data: string): Answering =>
    Effect.map(
      // The query is the body here, and has no content coding.
      post({
        ...request,
        header: (name) => (name === "content-encoding" ? undefined : request.header(name)),
        body: RequestBody.of(Buffer.from(data)),
      }),
      (answer) => (answer.status === 200 ? Answer.pixel : answer),
    )

  const answer = (request: EventRequest): Answering => {
    const { method, route } = request
    if (method === "POST") return post(request)
    if (method === "OPTIONS") return Effect.succeed(Answer.preflight)
    const isPixel = method === "GET" && route.endpoint === "store"
    const data = isPixel ? new URLSearchParams(route.query).get("sentry_data") : null
    return data === null ? Effect.succeed(Answer.methodNotAllowed(route.endpoint)) : get(request, data)
  }

  return { answer, store }
})

/** The project with an id that is written in digits; an id without a project for any other text. */
export const projectIdOfText = (text: string): number => (/^\d{1,15}$/.test(text) ? Number(text) : 0)

// internal

const newline = 10

const projectIdOf = ({ route: { projectId } }: EventRequest): number | null =>
  projectId === null ? null : projectIdOfText(projectId)
