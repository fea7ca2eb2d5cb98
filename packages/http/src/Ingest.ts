/**
 * The way in for Sentry clients as one function on plain values, for whatever server there is around it. It runs for
 * every event, so it makes one small effect per request, without spans, logs or layers.
 */

import { randomUUID } from "node:crypto"
import { ErrataConfig, Intake, type Payload, Secrets } from "@errata/core"
import {
  type AcceptedSentryRequest,
  acceptSentryRequest,
  decodeBodySync,
  makeBodyDecoder,
  readCredentials,
  type SentryCredentials,
  type SentryRejection,
} from "@errata/sentry"
import { Cause, Effect, Either } from "effect"
import * as Answer from "./IngestAnswer.js"
import type { IngestRoute } from "./IngestRoute.js"
import type { BodyBudget, BodyRejected } from "./RequestBody.js"

export interface IngestRequest {
  readonly route: IngestRoute
  readonly method: string
  /** A header by its lower-case name. */
  readonly header: (name: string) => string | undefined
  /** Read only when the request has got that far. */
  readonly body: Effect.Effect<Buffer, BodyRejected>
}

export interface Ingest {
  readonly handle: (request: IngestRequest) => Effect.Effect<Answer.IngestAnswer>
  readonly maxBodyBytes: number
  /** Shared by all requests of this instance. */
  readonly budget: BodyBudget
}

export const make: Effect.Effect<Ingest, never, Intake> = Effect.gen(function* () {
  const { ingestLimits: limits } = yield* ErrataConfig
  const intake = yield* Intake
  const clock = yield* Effect.clock
  const options = { limits, generateEventId: Secrets.generateEventId }
  const decoder = makeBodyDecoder(limits.maxBodyBytes)

  const store = (accepted: AcceptedSentryRequest, projectId: Payload["projectId"]): Answering => {
    if (accepted.payloads.length === 0) return Effect.succeed(Answer.nothing)
    const receivedAt = clock.unsafeCurrentTimeMillis()
    const payloads = accepted.payloads.map(
      ({ body, eventId, kind }): Payload => ({ projectId, eventId, kind, receivedAt, body }),
    )
    const answer = accepted.eventId === null ? Answer.nothing : Answer.accepted(accepted.eventId)
    return Effect.as(intake.accept(payloads), answer)
  }

  const projectIdOf = ({ projectId }: IngestRoute): number | null =>
    projectId === null ? null : /^\d{1,15}$/.test(projectId) ? Number(projectId) : noProject

  const take = (
    { header, route }: IngestRequest,
    credentials: SentryCredentials | null,
    known: Payload["projectId"] | null,
    body: Buffer,
  ): Answering => {
    const accepted = acceptSentryRequest(
      { endpoint: route.endpoint, projectId: route.projectId, credentials, header, query: route.query, body },
      options,
    )
    if (Either.isLeft(accepted)) return Effect.fail(accepted.left)
    if (known !== null) return store(accepted.right, known)
    return Effect.flatMap(intake.authenticate(accepted.right.key, projectIdOf(route)), (projectId) =>
      store(accepted.right, projectId),
    )
  }

  const receive = (
    request: IngestRequest,
    credentials: SentryCredentials | null,
    known: Payload["projectId"] | null,
  ): Answering =>
    Effect.flatMap(request.body, (body): Answering => {
      const encoding = request.header("content-encoding")
      const decoded = decodeBodySync(body, encoding, limits.maxBodyBytes)
      if (decoded !== null) {
        return Either.isLeft(decoded)
          ? Effect.fail(decoded.left)
          : take(request, credentials, known, decoded.right)
      }
      // Projects take turns; senders that are not known before their body is read share theirs.
      return decoder.withDecoded(body, encoding, known ?? noProject, (bytes) =>
        take(request, credentials, known, bytes),
      )
    })

  const post = (request: IngestRequest): Answering => {
    const { route } = request
    const read = readCredentials({ header: request.header, query: route.query })
    if (Either.isLeft(read)) return Effect.fail(read.left)
    const credentials = read.right
    if (credentials === null) {
      // Only an envelope can name its key itself.
      return route.endpoint === "envelope" ? receive(request, null, null) : Effect.succeed(Answer.missingKey)
    }
    // Before the body: strangers get nothing read, decoded or kept.
    return Effect.flatMap(intake.authenticate(credentials.key, projectIdOf(route)), (projectId) =>
      receive(request, credentials, projectId),
    )
  }

  const get = (request: IngestRequest, data: string): Answering =>
    Effect.map(
      // The query is what a body is elsewhere, and has no content coding.
      post({
        ...request,
        header: (name) => (name === "content-encoding" ? undefined : request.header(name)),
        body: Effect.succeed(Buffer.from(data)),
      }),
      (answer) => (answer.status === 200 ? Answer.pixel : answer),
    )

  const dispatch = (request: IngestRequest): Answering => {
    const { method, route } = request
    if (method === "POST") return post(request)
    if (method === "OPTIONS") return Effect.succeed(Answer.preflight)
    if (method === "GET" && route.endpoint === "store") {
      const data = new URLSearchParams(route.query).get("sentry_data")
      if (data !== null) return get(request, data)
    }
    return Effect.succeed(Answer.methodNotAllowed(route.endpoint))
  }

  return {
    maxBodyBytes: limits.maxBodyBytes,
    budget: { used: 0, max: maxBufferedBytes },
    handle: (request) =>
      Effect.suspend(() => dispatch(request)).pipe(
        Effect.catchAll((error) => Effect.succeed(answerOf(error))),
        Effect.catchAllCause((cause) => {
          const correlationId = randomUUID()
          return Effect.as(
            Cause.isInterruptedOnly(cause)
              ? Effect.void
              : Effect.logError("Ingest failed", cause).pipe(
                  Effect.annotateLogs({ correlation_id: correlationId }),
                ),
            Answer.failed(correlationId),
          )
        }),
      ),
  }
})

// internal

/** No project has this id. */
const noProject = 0

const maxBufferedBytes = 32 * 1024 * 1024

type Answering = Effect.Effect<Answer.IngestAnswer, IngestFailure>

type IngestFailure =
  | SentryRejection
  | BodyRejected
  | Effect.Effect.Error<ReturnType<Intake["authenticate"]>>
  | Effect.Effect.Error<ReturnType<Intake["accept"]>>

const answerOf = (error: IngestFailure): Answer.IngestAnswer => {
  switch (error._tag) {
    case "SentryRejection":
      return Answer.rejected(error)
    case "UnknownCredential":
      return Answer.unknownKey
    case "IntakeUnavailable":
      return Answer.unavailable
    case "BodyRejected":
      return error.reason === "too_large"
        ? Answer.tooLarge
        : error.reason === "busy"
          ? Answer.unavailable
          : Answer.incomplete
  }
}
