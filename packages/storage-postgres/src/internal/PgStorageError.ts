import { StorageError } from "@errata/core"
import { Effect } from "effect"
import { SqlError } from "effect/sql/SqlError"
import { causeOf, sqlState } from "./SqlState.js"

/** Names the operation and tells by the SQLSTATE what a caller can do about a failed statement. */
export const storageError =
  (operation: string) =>
  (error: SqlError): StorageError =>
    new StorageError({ operation, reason: reasonOf(causeOf(error)), cause: causeOf(error) })

/** Maps the driver's failures of an effect; others pass. */
export const named =
  (operation: string) =>
  <A, E, R>(
    effect: Effect.Effect<A, E | SqlError, R>,
  ): Effect.Effect<A, Exclude<E, SqlError> | StorageError, R> =>
    Effect.mapError(effect, (error) =>
      error instanceof SqlError ? storageError(operation)(error) : (error as Exclude<E, SqlError>),
    )

// internal

const reasonOf = (cause: unknown): StorageError["reason"] => {
  // The driver cannot put these data into a message.
  if (cause instanceof TypeError || cause instanceof RangeError) return "rejected"
  const code = sqlState(cause)
  // The server has not answered: the connection is at fault.
  if (code === null) return "unavailable"
  if (conflicts.has(code)) return "conflict"
  // The server ends the session with it, or lets none begin: wrong credentials, no such database, one that takes no
  // connections. Whoever administers it can change that, and the same call succeeds then.
  if (severityOf(cause) === "FATAL") return "unavailable"
  return unavailable.has(code.slice(0, 2)) || unavailableCodes.has(code) ? "unavailable" : "rejected"
}

const severityOf = (cause: unknown): unknown => (cause as { severity?: unknown } | null)?.severity

/** Serialization failure, deadlock. */
const conflicts = new Set(["40001", "40P01"])

/**
 * Read-only (a standby), a transaction that the server has ended for its age, a lock that was waited for too long (to
 * try that again at once would be to wait on), corrupted data, corrupted index.
 */
const unavailableCodes = new Set(["25006", "25P03", "25P04", "55P03", "XX001", "XX002"])

/** Connection, resources (disk, memory, connections), operator intervention, system error. */
const unavailable = new Set(["08", "53", "57", "58"])
