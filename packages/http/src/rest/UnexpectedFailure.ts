/** Failures that the contract has no problem for. */
import { randomUUID } from "node:crypto"
import { Problem } from "@errata/api/internal"
import { type Cause, Effect } from "effect"

export const isProblem = (error: unknown): error is Problem.Problem =>
  typeof error === "object" && error !== null && "status" in error && "title" in error && "type" in error

/** Logs a failure under an id that the problem contains. */
export const unexpected = (
  cause: Cause.Cause<unknown>,
  method: string,
  path: string,
): Effect.Effect<Problem.InternalServerError> => {
  const correlationId = randomUUID()
  return Effect.logError("Request failed", cause).pipe(
    Effect.annotateLogs({ correlation_id: correlationId, method, path }),
    Effect.as(Problem.internalServerError(correlationId)),
  )
}
