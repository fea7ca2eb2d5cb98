import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"

/** Holds the locks of a reader, on its own connection, until the returned effect runs. */
export const readerOf = (table: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const reads = yield* Deferred.make<void>()
    const end = yield* Deferred.make<void>()
    const reader = yield* Effect.forkChild(
      sql.withTransaction(
        Effect.gen(function* () {
          // The server must not end it during a slow test.
          yield* sql`SET LOCAL idle_in_transaction_session_timeout = 0`
          yield* sql`SELECT FROM ${sql(`errata.${table}`)} LIMIT 1`
          yield* Deferred.succeed(reads, undefined)
          yield* Deferred.await(end)
        }),
      ),
    )
    yield* Deferred.await(reads)
    return Effect.andThen(Deferred.succeed(end, undefined), Fiber.join(reader))
  })
