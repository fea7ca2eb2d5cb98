/** Statements whose plan is known, whatever the planner believes of their tables. */
import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"

/**
 * Runs a sweep in a transaction that reads tables by their indexes, in the order of these, and joins row by row. Sweeps
 * take a few rows of tables that grow and shrink faster than statistics are renewed. By old statistics a planner reads and
 * sorts all rows for that, also from an index whose first column alone has the wanted order. The settings last until the
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
