/** Error responses to upload clients. Clients print `detail`, except for 404. */
import { randomUUID } from "node:crypto"
import type { ArtifactUploadsPaused, StorageError } from "@errata/core"
import { absentPart, StorageOutage } from "@errata/core/internal"
import { Cause, Effect, Option } from "effect"
import type { BodyRejected } from "../RequestBody.js"
import { refused, type UploadAnswer, unauthorized, unavailable } from "./UploadAnswer.js"
import type { UploadError } from "./UploadCall.js"

export const maxJsonBytes = 1024 * 1024

/** Converts every failure to a response. Only interruption still fails. */
export const handled = <R>(
  answering: Effect.Effect<UploadAnswer, UploadError, R>,
): Effect.Effect<UploadAnswer, never, R> =>
  Effect.catchCause(answering, (cause) => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
    return Option.match(Cause.findErrorOption(cause), { onNone: () => failed(cause), onSome: answerOf })
  })

// internal

const answerOf = (error: UploadError): Effect.Effect<UploadAnswer> => {
  switch (error._tag) {
    case "AccessDenied":
      return Effect.succeed(refused(403, `You are not allowed to do this (${error.rule})`))
    case "InvalidApiKey":
      return Effect.succeed(unauthorized("Invalid API key"))
    case "NoProject":
      return Effect.succeed(refused(403, "You have access to no project. Ask an admin to add you to one."))
    case "ProjectNotFound":
      return Effect.succeed(refused(400, `Unknown project '${error.projectId}'`))
    case "UnknownProject": {
      const candidates = error.candidates.map(({ id, slug }) => (slug === "" ? `${id}` : `${id} (${slug})`))
      return Effect.succeed(
        refused(
          400,
          `Unknown project '${error.reference.slice(0, 200)}'. Use its id or slug${candidates.length === 0 ? "; you have access to none" : `: ${candidates.join(", ")}`}`,
        ),
      )
    }
    case "ReleaseNotFound":
      return Effect.succeed(refused(404, `No such release: ${error.release}`))
    case "ReportNotFound":
      return Effect.succeed(refused(404, `No such event: ${error.report.slice(0, 200)}`))
    case "ArtifactBundleNotFound":
      return Effect.succeed(refused(404, "No such file"))
    case "ArtifactUploadsPaused":
      return Effect.succeed(pausedAnswers[error.reason])
    case "ValidationError":
      return Effect.succeed(
        refused(
          400,
          Object.entries(error.errors)
            .map(([field, messages]) => `${field} ${messages.join(", ")}`)
            .join("; "),
        ),
      )
    case "BadBody":
    case "BadParts":
      return Effect.succeed(refused(400, error.reason))
    case "BodyRejected":
      return Effect.succeed(bodyAnswers[error.reason])
    case "StorageError":
      return storageAnswer(error)
  }
}

const storageAnswer = (error: StorageError): Effect.Effect<UploadAnswer> => {
  const part = absentPart(error)
  if (part !== null) return Effect.succeed(refused(400, `The storage does not support ${part}`))
  return error.reason === "rejected" ? failed(Cause.fail(error)) : storageAway(Cause.fail(error))
}

const pausedAnswers: Readonly<Record<ArtifactUploadsPaused["reason"], UploadAnswer>> = {
  disk: unavailable("The disk has too little free space for uploads"),
  busy: unavailable("The same upload is already being processed. Try again"),
  slow: unavailable("Reading the upload took too long. Try again"),
}

const bodyAnswers: Readonly<Record<BodyRejected["reason"], UploadAnswer>> = {
  too_large: refused(413, `The body is larger than ${maxJsonBytes} bytes`),
  busy: unavailable("Too many requests are running. Try again later"),
  slow: refused(400, "The body arrived too slowly"),
  aborted: refused(400, "The body ended early"),
}

const storageAway = (cause: Cause.Cause<unknown>): Effect.Effect<UploadAnswer> =>
  Effect.flatMap(StorageOutage.StorageOutage, (outage) =>
    outage.logFailure("The storage is unavailable", cause),
  ).pipe(Effect.as(unavailable("The storage is unavailable. Try again later")))

const failed = (cause: Cause.Cause<unknown>): Effect.Effect<UploadAnswer> =>
  Effect.suspend(() => {
    const correlationId = randomUUID()
    return Effect.logError("A request of an upload client failed", cause).pipe(
      Effect.annotateLogs({ correlation_id: correlationId }),
      Effect.as(refused(500, `Internal error ${correlationId}`)),
    )
  })
