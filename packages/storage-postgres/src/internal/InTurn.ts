/** Serializes writes that count rows first. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"

/** Runs a write in a transaction, one at a time per name and key. It sees everything the previous one wrote. */
export const inTurn =
  (sql: SqlClient.SqlClient, name: string, key: number) =>
  <A, E, R>(write: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
    sql.withTransaction(
      Effect.andThen(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`errata.${name}`}, ${key}))`, write),
    )
