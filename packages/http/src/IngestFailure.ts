/** The responses to ingest requests that fail. */
import { randomUUID } from "node:crypto"
import type { Intake } from "@errata/core"
import type { SentryRejection } from "@errata/sentry"
import { Cause, Effect, Option } from "effect"
import * as Answer from "./IngestAnswer.js"
import type { BodyRejected } from "./RequestBody.js"

export type IngestFailure =
  | SentryRejection
  | BodyRejected
  | Effect.Error<ReturnType<Intake["Service"]["authenticate"]>>
  | Effect.Error<ReturnType<Intake["Service"]["accept"]>>

/** Returns the response to a failure. Defects are logged. */
export const answerOf = (cause: Cause.Cause<IngestFailure>): Effect.Effect<Answer.IngestAnswer> =>
  Option.match(Cause.findErrorOption(cause), {
    onNone: () => unexpected(cause),
    onSome: (failure) => Effect.succeed(answerOfFailure(failure)),
  })

// internal

const unexpected = (cause: Cause.Cause<unknown>): Effect.Effect<Answer.IngestAnswer> => {
  const correlationId = randomUUID()
  const log = Cause.hasInterruptsOnly(cause)
    ? Effect.void
    : Effect.annotateLogs(Effect.logError("Ingest failed", cause), { correlation_id: correlationId })
  return Effect.as(log, Answer.failed(correlationId))
}

const answerOfFailure = (failure: IngestFailure): Answer.IngestAnswer => {
  switch (failure._tag) {
    case "SentryRejection":
      return Answer.rejected(failure)
    case "UnknownCredential":
      return Answer.unknownKey
    case "IntakeUnavailable":
      return Answer.unavailable
    case "IntakePaused":
      return Answer.paused(failure)
    case "BodyRejected":
      return bodyAnswers[failure.reason]
  }
}

const bodyAnswers: Readonly<Record<BodyRejected["reason"], Answer.IngestAnswer>> = {
  too_large: Answer.tooLarge,
  busy: Answer.unavailable,
  slow: Answer.tooSlow,
  aborted: Answer.incomplete,
}
