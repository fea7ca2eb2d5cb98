/** Detects a pooler such as PgBouncer, which rejects or drops the limits in a connection's startup parameters. */
import { StorageError } from "@errata/core"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import pg from "pg"
import { connectionFailed } from "./PgSqlClient.js"

/** Fails with an error that `isFound` recognizes if the limits of a connection did not reach the server. */
export const findByLimits = (pool: pg.Pool, lockMillis: number): Effect.Effect<void, SqlError> =>
  Effect.tryPromise({
    try: async () => {
      const { rows } = await pool.query("SELECT setting FROM pg_settings WHERE name = 'lock_timeout'")
      if (Number(rows[0]?.setting) !== lockMillis) throw new LimitsDropped()
    },
    catch: (cause) => connectionFailed(cause, "The database cannot be reached"),
  })

/** Returns whether a pooler rejected or dropped the limits of a connection. */
export const isFound = (cause: unknown): boolean =>
  cause instanceof LimitsDropped ||
  (cause instanceof Error && cause.message.includes("unsupported startup parameter"))

/**
 * Returns a pool that connects without limits once a pooler has rejected them. For connections with limits on the
 * client side.
 */
export const withoutLimits = (pool: pg.Pool, unlimited: pg.Pool): pg.Pool => {
  let isRefused = false
  const connect = (connected: Parameters<pg.Pool["connect"]>[0]): void => {
    if (isRefused) return void unlimited.connect(connected)
    pool.connect((error, client, release) => {
      if (!isFound(error)) return void connected(error, client, release)
      isRefused = true
      unlimited.connect(connected)
    })
  }
  return Object.assign(Object.create(pool) as pg.Pool, { connect })
}

/**
 * Fails if the pooler hands out server connections without their prepared statements, like PgBouncer before 1.21 in
 * transaction mode. Two connections prepare a statement of the same name. Such a pooler maps both to one server
 * session, where the name already exists.
 */
export const checkPrepared = (pool: pg.Pool): Effect.Effect<void, StorageError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const client = Effect.acquireRelease(
        Effect.promise(() => pool.connect()),
        (held) => Effect.sync(() => held.release(true)),
      )
      const [one, other] = [yield* client, yield* client]
      for (const each of [one, other, one, other]) {
        yield* Effect.promise(() => each.query({ name: "errata_pooler_check", text: "SELECT 1" }))
      }
    }),
  ).pipe(
    Effect.catchDefect((cause) =>
      Effect.fail(
        new StorageError({
          operation: "open",
          reason: isUnprepared(cause) ? "rejected" : "unavailable",
          cause: isUnprepared(cause) ? new Error(unprepared) : cause,
        }),
      ),
    ),
  )

// internal

class LimitsDropped extends Error {
  override readonly message =
    "The connection does not have its limits. A pooler is between Errata and the database"
}

const unprepared =
  "its pooler does not keep prepared statements. Leave out prepared, or use PgBouncer 1.21 or later with max_prepared_statements, or session pooling"

/** Error codes for a prepared statement that already exists, or does not exist. */
const isUnprepared = (cause: unknown): boolean =>
  cause instanceof pg.DatabaseError && (cause.code === "42P05" || cause.code === "26000")
