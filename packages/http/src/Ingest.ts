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
  decodePrefix,
  makeBodyDecoder,
  readCredentials,
  type SentryCredentials,
  type SentryRejection,
} from "@errata/sentry"
import { Cause, Effect, Either, type Scope } from "effect"
import * as BodyMemory from "./BodyMemory.js"
import * as Answer from "./IngestAnswer.js"
import type { IngestRoute } from "./IngestRoute.js"
import * as RequestBody from "./RequestBody.js"

export interface IngestRequest {
  readonly route: IngestRoute
  readonly method: string
  /** A header by its lower-case name. */
  readonly header: (name: string) => string | undefined
  /** Read only when the request has got that far. */
  readonly body: RequestBody.RequestBody
}

export interface Ingest {
  readonly handle: (request: IngestRequest) => Effect.Effect<Answer.IngestAnswer>
  readonly maxBodyBytes: number
  /** Shared by all requests of this instance. */
  readonly memory: BodyMemory.BodyMemory
}

export const make: Effect.Effect<Ingest, never, Intake | Scope.Scope> = Effect.gen(function* () {
  const { ingestLimits: limits } = yield* ErrataConfig
  const intake = yield* Intake
  const clock = yield* Effect.clock
  const options = { limits, generateEventId: Secrets.generateEventId }
  const decoder = makeBodyDecoder(limits.maxBodyBytes)
  const strangers = Effect.unsafeMakeSemaphore(maxDecodingStrangers)
  const memory = yield* BodyMemory.scoped(limits.maxBodyBytes)

  const store = (accepted: AcceptedSentryRequest, projectId: Payload["projectId"]): Answering => {
    if (accepted.payloads.length === 0) return Effect.succeed(Answer.nothing)
    const receivedAt = clock.unsafeCurrentTimeMillis()
    const payloads = accepted.payloads.map(
      ({ body, eventId, kind }): Payload => ({ projectId, eventId, kind, receivedAt, body }),
    )
    const answer = accepted.eventId === null ? Answer.nothing : Answer.accepted(accepted.eventId)
    return Effect.as(intake.accept(payloads), answer)
  }

  const projectIdOf = ({ route: { projectId } }: IngestRequest): number | null =>
    projectId === null ? null : /^\d{1,15}$/.test(projectId) ? Number(projectId) : noProject

  const take = (
    { header, route }: IngestRequest,
    credentials: SentryCredentials | null,
    body: Buffer,
  ): Either.Either<AcceptedSentryRequest, SentryRejection> =>
    acceptSentryRequest(
      { endpoint: route.endpoint, projectId: route.projectId, credentials, header, query: route.query, body },
      options,
    )

  const receive = (
    request: IngestRequest,
    credentials: SentryCredentials | null,
    projectId: Payload["projectId"],
  ): Answering => {
    const takeAndStore = (body: Buffer): Answering => {
      const accepted = take(request, credentials, body)
      return Either.isLeft(accepted) ? Effect.fail(accepted.left) : store(accepted.right, projectId)
    }
    request.body.identify(projectId)
    return Effect.flatMap(request.body.read, (body): Answering => {
      const encoding = request.header("content-encoding")
      const decoded = decodeBodySync(body, encoding, limits.maxBodyBytes)
      if (decoded !== null) {
        return Either.isLeft(decoded) ? Effect.fail(decoded.left) : takeAndStore(decoded.right)
      }
      // A small body can become a large one, and take its time: projects take turns.
      return decoder.withDecoded(body, encoding, projectId, takeAndStore)
    })
  }

  /**
   * An envelope without any other key is bound to the `dsn` in its first line. No more of it is read, decoded or kept
   * before that key is known to be right.
   */
  const receiveFromStranger = (request: IngestRequest, minBytes = 1): Answering =>
    Effect.flatMap(request.body.prefix(minBytes), ({ bytes, isAll }) => {
      const encoding = request.header("content-encoding")
      const decoded = decodePrefix(bytes, encoding, limits.maxHeaderLineBytes + 1)
      return Effect.flatMap(encoding === undefined ? decoded : strangers.withPermits(1)(decoded), (start) => {
        const end = start.indexOf(newline)
        if (end === -1 && start.length <= limits.maxHeaderLineBytes && !isAll) {
          return bytes.length < BodyMemory.strangerBytes
            ? receiveFromStranger(request, Math.min(bytes.length * 2, BodyMemory.strangerBytes))
            : Effect.fail(new RequestBody.BodyRejected({ reason: "too_large" }))
        }
        const accepted = take(request, null, end === -1 ? start : start.subarray(0, end))
        if (Either.isLeft(accepted)) return Effect.fail(accepted.left)
        return Effect.flatMap(intake.authenticate(accepted.right.key, projectIdOf(request)), (projectId) =>
          receive(request, null, projectId),
        )
      })
    })

  const post = (request: IngestRequest): Answering => {
    const { route } = request
    const read = readCredentials({ header: request.header, query: route.query })
    if (Either.isLeft(read)) return Effect.fail(read.left)
    const credentials = read.right
    if (credentials === null) {
      // Only an envelope can name its key itself.
      return route.endpoint === "envelope" ? receiveFromStranger(request) : Effect.succeed(Answer.missingKey)
    }
    // Before the body: strangers get nothing read, decoded or kept.
    return Effect.flatMap(intake.authenticate(credentials.key, projectIdOf(request)), (projectId) =>
      receive(request, credentials, projectId),
    )
  }

  const get = (request: IngestRequest, data: string): Answering =>
    Effect.map(
      // The query is what a body is elsewhere, and has no content coding.
      post({
        ...request,
        header: (name) => (name === "content-encoding" ? undefined : request.header(name)),
        body: RequestBody.of(Buffer.from(data)),
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
    memory,
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

const maxDecodingStrangers = 4
const newline = 10

type Answering = Effect.Effect<Answer.IngestAnswer, IngestFailure>

type IngestFailure =
  | SentryRejection
  | RequestBody.BodyRejected
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
      return bodyAnswers[error.reason]
  }
}

const bodyAnswers: Readonly<Record<RequestBody.BodyRejected["reason"], Answer.IngestAnswer>> = {
  too_large: Answer.tooLarge,
  busy: Answer.unavailable,
  slow: Answer.tooSlow,
  aborted: Answer.incomplete,
}
