/** Statements with a fixed plan, regardless of statistics. */

import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"

/**
 * Runs a lease or a removal in a transaction that reads tables in the order of their indexes and joins row by row. It takes a few
 * rows of a table that changes faster than its statistics. With old statistics the planner reads and sorts all rows, even
 * from an index that starts with the right column. The settings last until the end of the outermost transaction.
 *
 * Up to PostgreSQL 17, a setting that cannot be followed adds 10^10 to the estimated cost. The server would then compile the
 * statement (JIT), which takes a second.
 */
export const byIndex =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
    sql.withTransaction(
      Effect.andThen(
        sql`
          SELECT set_config(name, 'off', true)
          FROM unnest(ARRAY[
            'enable_seqscan', 'enable_sort', 'enable_incremental_sort', 'enable_hashjoin', 'enable_mergejoin', 'jit'
          ]) AS name`,
        work,
      ),
    )
