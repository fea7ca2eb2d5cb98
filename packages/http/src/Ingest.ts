/**
 * The way in for Sentry clients as one function on plain values, for whatever server there is around it. It runs for
 * every event, so what can be answered from memory is written with callbacks: a fiber for each request would cost a
 * fifth of accepting it. What has to ask the storage, or takes its time, are effects.
 */

import { randomUUID } from "node:crypto"
import { ErrataConfig, Intake, type Payload, Secrets } from "@errata/core"
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
import { Cause, Effect, Exit, Option, Result, type Scope } from "effect"
import * as BodyMemory from "./BodyMemory.js"
import * as ReportDialog from "./dialog/ReportDialog.js"
import * as Answer from "./IngestAnswer.js"
import type { DialogRoute, EventRoute, IngestRoute } from "./IngestRoute.js"
import * as RequestBody from "./RequestBody.js"

export interface IngestRequest<Route extends IngestRoute = IngestRoute> {
  readonly route: Route
  readonly method: string
  /** A header by its lower-case name. */
  readonly header: (name: string) => string | undefined
  /** Read only when the request has got that far. */
  readonly body: RequestBody.RequestBody
}

export interface Ingest {
  /** Calls `respond` once, which must not throw. */
  readonly handle: (request: IngestRequest, respond: Respond) => void
  /** Bytes that a body for this route may have. */
  readonly maxBodyBytes: (route: IngestRoute) => number
  /** Shared by all requests of this instance. */
  readonly memory: BodyMemory.BodyMemory
}

export type Respond = (answer: Answer.IngestAnswer) => void

export const make: Effect.Effect<Ingest, never, Intake | Scope.Scope> = Effect.gen(function* () {
  const { ingestLimits: limits } = yield* ErrataConfig
  const intake = yield* Intake
  const clock = yield* Effect.clockWith(Effect.succeed)
  const options = { limits, generateEventId: Secrets.generateEventId }
  const decoder = makeBodyDecoder(limits.maxBodyBytes)
  const memory = yield* BodyMemory.scoped(limits.maxBodyBytes)
  /** One byte more than a first line may have. */
  const firstLineBytes = limits.maxHeaderLineBytes + 1
  const run = Effect.runForkWith(yield* Effect.context<never>())

  const failed = (cause: Cause.Cause<unknown>): Answer.IngestAnswer => {
    const correlationId = randomUUID()
    if (!Cause.hasInterruptsOnly(cause)) {
      run(
        Effect.logError("Ingest failed", cause).pipe(Effect.annotateLogs({ correlation_id: correlationId })),
      )
    }
    return Answer.failed(correlationId)
  }

  const answerOfExit = (exit: Exit.Exit<Answer.IngestAnswer, IngestFailure>): Answer.IngestAnswer => {
    if (Exit.isSuccess(exit)) return exit.value
    return Option.match(Cause.findErrorOption(exit.cause), {
      onNone: () => failed(exit.cause),
      onSome: answerOf,
    })
  }

  const respondWith = (answering: Answering, respond: Respond): void => {
    run(answering).addObserver((exit) => respond(answerOfExit(exit)))
  }

  /** A defect is this request's alone. */
  const guarded = (respond: Respond, work: () => void): void => {
    try {
      work()
    } catch (defect) {
      respond(failed(Cause.die(defect)))
    }
  }

  const store = (
    accepted: AcceptedSentryRequest,
    projectId: Payload["projectId"],
    respond: Respond,
  ): void => {
    if (accepted.payloads.length === 0) {
      respond(Answer.nothing)
      return
    }
    const receivedAt = clock.currentTimeMillisUnsafe()
    const payloadsOf = (some: AcceptedSentryRequest["payloads"]) =>
      some.map(({ body, eventId, kind }): Payload => ({ projectId, eventId, kind, receivedAt, body }))
    const answer = accepted.eventId === null ? Answer.nothing : Answer.accepted(accepted.eventId)
    intake.offer(payloadsOf(accepted.payloads), accepted.reports, (outcome) => {
      const answered = answerOfExit(Exit.map(outcome, () => answer))
      // What no rate limits is kept of what is refused by it.
      if (answered.status !== 429 || accepted.unlimited.length === 0) respond(answered)
      else intake.offer(payloadsOf(accepted.unlimited), 0, () => respond(answered))
    })
  }

  const take = (
    { header, route }: EventRequest,
    credentials: SentryCredentials | null,
    body: Buffer,
  ): Result.Result<AcceptedSentryRequest, SentryRejection> =>
    acceptSentryRequest(
      { endpoint: route.endpoint, projectId: route.projectId, credentials, header, query: route.query, body },
      options,
    )

  const receive = (
    request: EventRequest,
    credentials: SentryCredentials | null,
    projectId: Payload["projectId"],
    respond: Respond,
  ): void => {
    const takeAndStore = (body: Buffer, respond: Respond): void => {
      const accepted = take(request, credentials, body)
      if (Result.isFailure(accepted)) respond(Answer.rejected(accepted.failure))
      else store(accepted.success, projectId, respond)
    }
    const decode = (body: Buffer): void => {
      const encoding = request.header("content-encoding")
      const decoded = decodeBodySync(body, encoding, limits.maxBodyBytes)
      if (decoded === null) {
        // A small body can become a large one, and take its time: projects take turns.
        const answering = decoder.withDecoded(body, encoding, projectId, (decoded) =>
          answeringBy((respond) => takeAndStore(decoded, respond)),
        )
        respondWith(answering, respond)
      } else if (Result.isFailure(decoded)) respond(Answer.rejected(decoded.failure))
      else takeAndStore(decoded.success, respond)
    }
    request.body.identify(projectId)
    request.body.whenRead((body) => {
      if (Buffer.isBuffer(body)) guarded(respond, () => decode(body))
      else respond(bodyAnswers[body.reason])
    })
  }

  /**
   * An envelope without any other key is bound to the `dsn` in its first line. No more of it is read, decoded or kept
   * before that key is known to be right.
   */
  const receiveFromStranger = (request: EventRequest, minBytes = 1): Answering => {
    const encoding = request.header("content-encoding")
    const enough = prefixInputBytes(encoding, firstLineBytes)
    return Effect.flatMap(request.body.prefix(minBytes), ({ bytes, isAll }) =>
      Effect.flatMap(decoder.prefix(bytes, encoding, firstLineBytes, request.body.address), (start) => {
        const end = start.indexOf(newline)
        if (end === -1 && start.length < firstLineBytes && !isAll) {
          return bytes.length < enough
            ? receiveFromStranger(request, Math.min(bytes.length * 2, enough))
            : Effect.fail(new RequestBody.BodyRejected({ reason: "too_large" }))
        }
        const accepted = take(request, null, end === -1 ? start : start.subarray(0, end))
        if (Result.isFailure(accepted)) return Effect.fail(accepted.failure)
        return Effect.flatMap(intake.authenticate(accepted.success.key, projectIdOf(request)), (projectId) =>
          answeringBy((respond) => receive(request, null, projectId, respond)),
        )
      }),
    )
  }

  const post = (request: EventRequest, respond: Respond): void => {
    const { route } = request
    const read = readCredentials({ header: request.header, query: route.query })
    if (Result.isFailure(read)) {
      respond(Answer.rejected(read.failure))
      return
    }
    const credentials = read.success
    if (credentials === null) {
      // Only an envelope can name its key itself.
      if (route.endpoint === "envelope") respondWith(receiveFromStranger(request), respond)
      else respond(Answer.missingKey)
      return
    }
    // Before the body: strangers get nothing read, decoded or kept.
    const projectId = intake.recognize(credentials.key, projectIdOf(request))
    if (projectId !== null) receive(request, credentials, projectId, respond)
    else {
      const answering = Effect.flatMap(
        intake.authenticate(credentials.key, projectIdOf(request)),
        (projectId) => answeringBy((respond) => receive(request, credentials, projectId, respond)),
      )
      respondWith(answering, respond)
    }
  }

  const get = (request: EventRequest, data: string, respond: Respond): void =>
    post(
      // The query is what a body is elsewhere, and has no content coding.
      {
        ...request,
        header: (name) => (name === "content-encoding" ? undefined : request.header(name)),
        body: RequestBody.of(Buffer.from(data)),
      },
      (answer) => respond(answer.status === 200 ? Answer.pixel : answer),
    )

  const dialog = ({ body, method, route: { query } }: IngestRequest<DialogRoute>): Answering =>
    ReportDialog.answer(
      { method, query, body },
      {
        authenticate: (key, projectId) => intake.authenticate(key, numberOf(projectId)),
        store: (accepted, projectId) => answeringBy((respond) => store(accepted, projectId, respond)),
      },
    )

  const dispatch = (request: IngestRequest, respond: Respond): void => {
    if (isDialog(request)) {
      respondWith(dialog(request), respond)
      return
    }
    dispatchEvent(request as EventRequest, respond)
  }

  const dispatchEvent = (request: EventRequest, respond: Respond): void => {
    const { method, route } = request
    if (method === "POST") post(request, respond)
    else if (method === "OPTIONS") respond(Answer.preflight)
    else {
      const isPixel = method === "GET" && route.endpoint === "store"
      const data = isPixel ? new URLSearchParams(route.query).get("sentry_data") : null
      if (data === null) respond(Answer.methodNotAllowed(route.endpoint))
      else get(request, data, respond)
    }
  }

  return {
    maxBodyBytes: (route) =>
      route.endpoint === "error-page" ? ReportDialog.maxBodyBytes : limits.maxBodyBytes,
    memory,
    handle: (request, respond) => guarded(respond, () => dispatch(request, respond)),
  }
})

// internal

/** No project has this id. */
const noProject = 0

const numberOf = (projectId: string): number => (/^\d{1,15}$/.test(projectId) ? Number(projectId) : noProject)

const projectIdOf = ({ route: { projectId } }: EventRequest): number | null =>
  projectId === null ? null : numberOf(projectId)

type EventRequest = IngestRequest<EventRoute>

const isDialog = (request: IngestRequest): request is IngestRequest<DialogRoute> =>
  request.route.endpoint === "error-page"

const newline = 10

type Answering = Effect.Effect<Answer.IngestAnswer, IngestFailure>

/** What is answered by callback, as an effect. */
const answeringBy = (answer: (respond: Respond) => void): Effect.Effect<Answer.IngestAnswer> =>
  Effect.callback((resume) => answer((answered) => resume(Effect.succeed(answered))))

type IngestFailure =
  | SentryRejection
  | RequestBody.BodyRejected
  | Effect.Error<ReturnType<Intake["Service"]["authenticate"]>>
  | Effect.Error<ReturnType<Intake["Service"]["accept"]>>

const answerOf = (error: IngestFailure): Answer.IngestAnswer => {
  switch (error._tag) {
    case "SentryRejection":
      return Answer.rejected(error)
    case "UnknownCredential":
      return Answer.unknownKey
    case "IntakeUnavailable":
      return Answer.unavailable
    case "IntakePaused":
      return Answer.paused(error)
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
