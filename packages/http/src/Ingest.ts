/** Handles requests of Sentry clients for any server. Requests and responses are plain values. */
import { ErrataConfig, Intake } from "@errata/core"
import { Effect, type Scope } from "effect"
import * as BodyMemory from "./BodyMemory.js"
import * as ReportDialog from "./dialog/ReportDialog.js"
import * as EventEndpoint from "./EventEndpoint.js"
import type { IngestAnswer } from "./IngestAnswer.js"
import * as IngestFailure from "./IngestFailure.js"
import type { IngestRequest } from "./IngestRequest.js"
import type { DialogRoute, IngestRoute } from "./IngestRoute.js"

export interface Ingest {
  /** Calls `respond` once, which must not throw. */
  readonly handle: (request: IngestRequest, respond: (answer: IngestAnswer) => void) => void
  /** Bytes that a body for this route may have. */
  readonly maxBodyBytes: (route: IngestRoute) => number
  /** Shared by all requests of this instance. */
  readonly memory: BodyMemory.BodyMemory
}

export const make: Effect.Effect<Ingest, never, Intake | Scope.Scope> = Effect.gen(function* () {
  const { ingestLimits: limits } = yield* ErrataConfig
  const intake = yield* Intake
  const events = yield* EventEndpoint.make
  const memory = yield* BodyMemory.scoped(limits.maxBodyBytes)
  const run = Effect.runForkWith(yield* Effect.context<never>())

  const dialog = {
    authenticate: (key: string, projectId: string) =>
      intake.authenticate(key, EventEndpoint.projectIdOfText(projectId)),
    store: events.store,
  }

  const answer = (request: IngestRequest): EventEndpoint.Answering =>
    isDialog(request)
      ? ReportDialog.answer(
          { method: request.method, query: request.route.query, body: request.body },
          dialog,
        )
      : events.answer(request as EventEndpoint.EventRequest)

  return {
    maxBodyBytes: (route) =>
      route.endpoint === "error-page" ? ReportDialog.maxBodyBytes : limits.maxBodyBytes,
    memory,
    handle: (request, respond) => {
      const answering = Effect.suspend(() => answer(request))
      run(Effect.map(Effect.catchCause(answering, IngestFailure.answerOf), (answer) => respond(answer)))
    },
  }
})

// internal

const isDialog = (request: IngestRequest): request is IngestRequest<DialogRoute> =>
  request.route.endpoint === "error-page"
