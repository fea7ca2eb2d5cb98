import { StorageError } from "@errata/core"
import { Effect } from "effect"
import { SqlError } from "effect/sql/SqlError"
import { causeOf, sqlState } from "./SqlState.js"

/** Wraps a failed statement with its operation and a reason derived from the SQLSTATE. */
export const storageError =
  (operation: string) =>
  (error: SqlError): StorageError =>
    new StorageError({ operation, reason: reasonOf(causeOf(error)), cause: causeOf(error) })

/** Maps the `SqlError`s of an effect to `StorageError`s. */
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
  // The driver cannot encode these values.
  if (cause instanceof TypeError || cause instanceof RangeError) return "rejected"
  const code = sqlState(cause)
  // Without a SQLSTATE, the connection failed.
  if (code === null) return "unavailable"
  if (conflicts.has(code)) return "conflict"
  // FATAL ends the session or prevents it: wrong credentials, missing database, no connections allowed. An
  // administrator can fix it, and the same call then succeeds.
  if (severityOf(cause) === "FATAL") return "unavailable"
  return unavailable.has(code.slice(0, 2)) || unavailableCodes.has(code) ? "unavailable" : "rejected"
}

const severityOf = (cause: unknown): unknown => (cause as { severity?: unknown } | null)?.severity

/** Serialization failure, deadlock. */
const conflicts = new Set(["40001", "40P01"])

/**
 * Read-only (standby), transaction timeouts, lock timeout (retrying at once would only wait on), corrupted data,
 * corrupted index.
 */
const unavailableCodes = new Set(["25006", "25P03", "25P04", "55P03", "XX001", "XX002"])

/** Connection, resources (disk, memory, connections), operator intervention, system error. */
const unavailable = new Set(["08", "53", "57", "58"])
