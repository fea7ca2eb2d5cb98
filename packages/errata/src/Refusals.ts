/** Why an error was not accepted, as the same errors that the calls of the REST API reject with. */
import {
  InternalServerError,
  NotFoundError,
  ServiceUnavailableError,
  TooManyRequestsError,
} from "@errata/api/promise"
import { Cause, type Exit, Option } from "effect"
import type { CaptureFailure } from "./Capture.js"

/** The error of a capture that failed. */
export const refusalOf = (exit: Exit.Failure<string, CaptureFailure>): Error => {
  const failure = Cause.findErrorOption(exit.cause)
  if (Option.isNone(failure)) {
    return causedBy(
      new InternalServerError(name, { title: "Internal Server Error", status: 500 }),
      Cause.squash(exit.cause),
    )
  }
  const error = failure.value
  switch (error._tag) {
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
    case "IntakeUnavailable":
    case "StorageError":
      return causedBy(
        new ServiceUnavailableError(name, {
          title: "Service Unavailable",
          status: 503,
          detail: "The storage is unavailable. Try again later",
        }),
        error,
      )
  }
}

// internal

const name = "capture"

const pauses = {
  rate: "The rate limit of ingest protection is reached",
  queue: "The queue is full",
  disk: "The disk has too little free space",
}

const causedBy = <E extends Error>(error: E, cause: unknown): E => Object.assign(error, { cause })
