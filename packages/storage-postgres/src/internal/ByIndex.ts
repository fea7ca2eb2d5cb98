/** Statements whose plan is known, whatever the planner believes of their tables. */
import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"

/**
 * Runs a sweep in a transaction that reads tables in the order of their indexes, and joins row by row. Sweeps take
 * a few rows of tables that grow and shrink faster than PostgreSQL renews their statistics. With old statistics, the
 * planner would read and sort all rows, even if the first column of an index has the order. The settings last until the
 * end of the outermost transaction.
 */
export const byIndex =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(sweep: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
    sql.withTransaction(
      Effect.zipRight(
        sql`
          SELECT set_config(name, 'off', true)
          FROM unnest(ARRAY[
            'enable_seqscan', 'enable_sort', 'enable_incremental_sort', 'enable_hashjoin', 'enable_mergejoin'
          ]) AS name`,
        sweep,
      ),
    )
