/** Removing groups that have no report left, some at a time, with the groups that they stand for. */
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
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

    /** Roots, and the groups that were merged into them. */
    const treesOf = (projectId: number, roots: string) => sql`
      SELECT root.id, root.id AS root_id FROM unnest(${roots}::bigint[]) AS root (id)
      UNION ALL
      SELECT member.id, root.id FROM unnest(${roots}::bigint[]) AS root (id)
      CROSS JOIN LATERAL (
        SELECT g.id FROM errata.groups AS g WHERE g.project_id = ${projectId} AND g.merged_into_id = root.id OFFSET 0
      ) AS member`

    /** Asked for after the locks: whatever is recorded for them now waits. */
    const withReports = (projectId: number, roots: string) => sql`
      SELECT DISTINCT tree.root_id AS id
      FROM (${treesOf(projectId, roots)}) AS tree
      WHERE EXISTS (
        SELECT FROM errata.reports AS r WHERE r.project_id = ${projectId} AND r.group_id = tree.id OFFSET 0)`

    /** Removes what belongs to each group, by an index: a join would read whole tables that the planner takes for small. */
    const removeOf = (projectId: number, table: string, belongs: Statement.Fragment) => sql`
      DELETE FROM ${sql(`errata.${table}`)} WHERE ctid = ANY (ARRAY(
        SELECT own.ctid FROM gone CROSS JOIN LATERAL (
          SELECT t.ctid FROM ${sql(`errata.${table}`)} AS t WHERE t.project_id = ${projectId} AND ${belongs} OFFSET 0
        ) AS own))`

    /** All that belongs to groups but their tags, which went with their reports, and what is still to be told of them. */
    const removeGroups = (projectId: number, roots: string) => {
      const ofGroup = (table: string) => removeOf(projectId, table, sql`t.group_id = gone.id`)
      const ofSketches = (table: string) =>
        removeOf(projectId, table, sql`t.sketch = ANY (ARRAY[gone.id, -gone.id])`)
      return sql`
        WITH gone AS MATERIALIZED (
          SELECT g.* FROM (${treesOf(projectId, roots)}) AS tree CROSS JOIN LATERAL (
            SELECT id, grouping_algorithm, grouping_key FROM errata.groups
            WHERE project_id = ${projectId} AND id = tree.id LIMIT 1
          ) AS g
        ),
        keys AS (${removeOf(
          projectId,
          "grouping_keys",
          sql`t.algorithm = gone.grouping_algorithm AND t.key = gone.grouping_key AND t.group_id = gone.id
            AND NOT t.is_alias`,
        )}),
        aliases AS (${removeOf(projectId, "grouping_keys", sql`t.is_alias AND t.group_id = gone.id`)}),
        twins AS (${ofGroup("group_twins")}),
        evidence AS (${ofGroup("group_evidence")}),
        -- By an array: after stale statistics the index by project alone would be read once for each group.
        notes AS (
          DELETE FROM errata.notes
          WHERE project_id = ${projectId} AND group_id = ANY (ARRAY(SELECT id FROM gone))
        ),
        parts AS (${ofGroup("group_parts")}),
        users AS (${ofSketches("group_users")}),
        bounds AS (${ofSketches("group_user_bounds")}),
        minutes AS (${ofGroup("activity_minutes")}),
        hours AS (${ofGroup("activity_hours")}),
        merges AS (${removeOf(projectId, "group_merges", sql`t.source_id = gone.id`)})
        ${removeOf(projectId, "groups", sql`t.id = gone.id`)}`
    }

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
