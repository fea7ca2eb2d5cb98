/** Converts errors of captures and uploads to the errors of REST calls. */
import {
  ForbiddenError,
  InternalServerError,
  NotFoundError,
  ServiceUnavailableError,
  TooManyRequestsError,
  UnauthorizedError,
  ValidationError,
} from "@errata/api/promise"
import type { StorageError } from "@errata/core"
import { absentPart } from "@errata/core/internal"
import { Cause, type Effect, type Exit, Option } from "effect"
import type { upload } from "./ArtifactUpload.js"
import type { CaptureFailure } from "./Capture.js"

/** The error of a capture or an upload that failed. */
export const refusalOf = (name: string, exit: Exit.Failure<unknown, Failure>): Error => {
  const failure = Cause.findErrorOption(exit.cause)
  if (Option.isNone(failure)) {
    return causedBy(broken(name), Cause.squash(exit.cause))
  }
  const error = failure.value
  switch (error._tag) {
    case "NotSignedIn":
      return new UnauthorizedError(name, {
        title: "Unauthorized",
        status: 401,
        detail: "No active user has this id",
      })
    case "AccessDenied":
      return new ForbiddenError(name, {
        title: "Forbidden",
        status: 403,
        detail: `You are not allowed to do this (${error.rule})`,
      })
    case "ValidationError":
      return new ValidationError(name, {
        title: "Unprocessable Content",
        status: 422,
        detail: "The input is invalid",
        errors: error.errors,
      })
    case "ProjectNotFound":
      return new NotFoundError(name, { title: "Not Found", status: 404, detail: "No such project" })
    case "IntakePaused": {
      const problem = { title: "Too Many Requests", status: 429, detail: pauses[error.reason] }
      const retryAfter = String(error.retryAfterSeconds)
      return error.reason === "rate"
        ? new TooManyRequestsError(name, problem, retryAfter)
        : new ServiceUnavailableError(
            name,
            { ...problem, title: "Service Unavailable", status: 503 },
            retryAfter,
          )
    }
    case "ArtifactUploadsPaused":
      return causedBy(unavailable(name, uploadPauses[error.reason]), error)
    case "StorageError":
      return causedBy(storageRefusal(name, error), error)
    case "IntakeUnavailable":
      return causedBy(away(name), error)
  }
}

// internal

type Failure = CaptureFailure | Effect.Error<ReturnType<typeof upload>>

const pauses = {
  rate: "The rate limit of ingest protection is reached",
  queue: "The queue is full",
  disk: "The disk has too little free space",
}

const uploadPauses = {
  disk: "The disk has too little free space",
  busy: "The same files are being uploaded. Try again later",
  slow: "Reading the files took too long. Try again later",
}

// The same statuses as over HTTP: 500 if the storage rejects the write, because a retry would fail too.
const storageRefusal = (name: string, error: StorageError) => {
  const part = absentPart(error)
  if (part !== null) {
    const problem = `cannot be stored: the storage does not support ${part}`
    return new ValidationError(name, {
      title: "Unprocessable Content",
      status: 422,
      detail: "The input is invalid",
      errors: { base: [problem] },
    })
  }
  return error.reason === "rejected" ? broken(name) : away(name)
}

const broken = (name: string) =>
  new InternalServerError(name, { title: "Internal Server Error", status: 500 })

const away = (name: string) => unavailable(name, "The storage is unavailable. Try again later")

const unavailable = (name: string, detail: string) =>
  new ServiceUnavailableError(name, { title: "Service Unavailable", status: 503, detail })

const causedBy = <E extends Error>(error: E, cause: unknown): E => Object.assign(error, { cause })
