/** A pooler such as PgBouncer between Errata and the database. It refuses or drops the limits that a connection begins with. */
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

/** True if a pooler has refused a connection because of its limits, or dropped them. */
export const isFound = (cause: unknown): boolean =>
  cause instanceof LimitsDropped ||
  (cause instanceof Error && cause.message.includes("unsupported startup parameter"))

/**
 * The same pool, which connects without the limits once a pooler has refused them. For connections that have a limit of
 * their own on this side.
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
 * Fails if the pooler assigns connections to others without their prepared statements, as PgBouncer before 1.21 does when it
 * pools transactions. Two connections prepare a statement of the same name: such a pooler connects both to the same
 * session of the database, which has that statement already.
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

/** The statement exists, or does not exist. */
const isUnprepared = (cause: unknown): boolean =>
  cause instanceof pg.DatabaseError && (cause.code === "42P05" || cause.code === "26000")
