/** Writes that count rows of a project first: one caller at a time. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"

/** Runs a write in a transaction, one at a time for each name and key. It reads all that the last one wrote. */
export const inTurn =
  (sql: SqlClient.SqlClient, name: string, key: number) =>
  <A, E, R>(write: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
    sql.withTransaction(
      Effect.andThen(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`errata.${name}`}, ${key}))`, write),
    )
