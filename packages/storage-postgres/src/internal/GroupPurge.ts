/** Removing groups that have no report left, some at a time, with the groups that they stand for. */

import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import * as PgLiteral from "./PgLiteral.js"
import * as Rows from "./Rows.js"
import { int8 } from "./SqlType.js"

/** `count` counts groups with the run, in the transaction of the caller. */
export const make =
  (sql: SqlClient.SqlClient, count: (groups: number) => Effect.Effect<unknown, SqlError>) =>
  (before: Date): Effect.Effect<void, SqlError> => {
    /**
     * Roots that may be left without a report. Those that somebody works with are left for the next run. What occurred
     * last was recorded before it was a minute old by any clock that is right: with an hour no group is missed, and few are
     * looked at that have reports.
     */
    const lockNext = (projectId: number, after: number) => sql`
      SELECT id FROM errata.groups
      WHERE project_id = ${projectId} AND id > ${after} AND merged_into_id IS NULL AND created_at < ${before}
        AND last_occurred_hour <= errata.hour_of(${before}::timestamptz + INTERVAL '1 hour')
      ORDER BY id LIMIT ${groupsTogether} FOR UPDATE SKIP LOCKED`

    const ids = (rows: ReadonlyArray<object>) => rows.map((row) => idRows.read(row).id)

    /** Asked for after the locks: whatever is recorded for them now waits. */
    const withReports = (projectId: number, roots: string) => sql`
      SELECT DISTINCT tree.root_id AS id
      FROM (
        SELECT id, coalesce(merged_into_id, id) AS root_id FROM errata.groups
        WHERE project_id = ${projectId} AND (id = ANY (${roots}::bigint[]) OR merged_into_id = ANY (${roots}::bigint[]))
      ) AS tree
      WHERE EXISTS (
        SELECT FROM errata.reports AS r WHERE r.project_id = ${projectId} AND r.group_id = tree.id OFFSET 0)`

    /** All that belongs to groups but their tags, which went with their reports, and what is still to be told of them. */
    const removeGroups = (projectId: number, roots: string) => sql`
      WITH gone AS (
        DELETE FROM errata.groups
        WHERE project_id = ${projectId} AND (id = ANY (${roots}::bigint[]) OR merged_into_id = ANY (${roots}::bigint[]))
        RETURNING id, grouping_algorithm, grouping_key
      ),
      keys AS (
        DELETE FROM errata.grouping_keys AS k USING gone
        WHERE k.project_id = ${projectId} AND k.algorithm = gone.grouping_algorithm AND k.key = gone.grouping_key
          AND k.group_id = gone.id
      ),
      aliases AS (
        DELETE FROM errata.grouping_keys AS k USING gone
        WHERE k.project_id = ${projectId} AND k.is_alias AND k.group_id = gone.id
      ),
      twins AS (
        DELETE FROM errata.group_twins AS t USING gone
        WHERE t.project_id = ${projectId} AND t.group_id = gone.id
      ),
      evidence AS (
        DELETE FROM errata.group_evidence AS e USING gone WHERE e.project_id = ${projectId} AND e.group_id = gone.id
      ),
      notes AS (
        DELETE FROM errata.notes AS n USING gone WHERE n.project_id = ${projectId} AND n.group_id = gone.id
      ),
      parts AS (
        DELETE FROM errata.group_parts AS p USING gone WHERE p.project_id = ${projectId} AND p.group_id = gone.id
      )
      DELETE FROM errata.group_merges AS m USING gone WHERE m.project_id = ${projectId} AND m.source_id = gone.id`

    const countGroups = (projectId: number, change: number) => sql`
      UPDATE errata.project_counts SET groups_count = groups_count + ${change}
      WHERE project_id = ${projectId}
        AND stripe = (SELECT min(stripe) FROM errata.project_counts WHERE project_id = ${projectId})`

    /** Answers the last one that was looked at; null where there was none. */
    const removeSome = (projectId: number, after: number) =>
      sql.withTransaction(
        Effect.gen(function* () {
          const roots = ids(yield* lockNext(projectId, after))
          if (roots.length === 0) return null
          const kept = new Set(ids(yield* withReports(projectId, PgLiteral.numbers(roots))))
          const empty = roots.filter((id) => !kept.has(id))
          if (empty.length > 0) {
            yield* removeGroups(projectId, PgLiteral.numbers(empty))
            yield* count(empty.length)
            // Last, because every batch of a project writes them: the shorter they are held, the better.
            yield* countGroups(projectId, -empty.length)
          }
          return roots.at(-1)!
        }),
      )

    return Effect.gen(function* () {
      for (const projectId of ids(yield* sql`SELECT id FROM errata.projects ORDER BY id`)) {
        let after: number | null = 0
        while (after !== null) {
          after = yield* removeSome(projectId, after)
          yield* Effect.yieldNow
        }
      }
    })
  }

// internal

const groupsTogether = 200

const idRows = Rows.make({ id: int8() })
