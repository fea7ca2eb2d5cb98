/** Removes groups together with the groups merged into them. The caller has locked the roots. */

import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import * as Buckets from "./Buckets.js"
import * as Rows from "./Rows.js"
import { int8 } from "./SqlType.js"

export interface GroupRemoval {
  /** Selects roots and the groups merged into them. */
  readonly treesOf: (projectId: number, roots: ReadonlyArray<number>) => Statement.Fragment
  /**
   * Deletes the groups with their keys, evidence and merges, and on request their notes. Reports, tags and events in the
   * outbox stay.
   */
  readonly remove: (
    projectId: number,
    roots: ReadonlyArray<number>,
    also: { readonly notes: boolean },
  ) => Effect.Effect<unknown, SqlError>
  /** Adds to a project's count of groups. */
  readonly count: (projectId: number, change: number) => Effect.Effect<unknown, SqlError>
}

export const make = (sql: SqlClient.SqlClient): GroupRemoval => {
  const treesOf: GroupRemoval["treesOf"] = (projectId, roots) => sql`
    SELECT root.id, root.id AS root_id FROM unnest(${roots}::bigint[]) AS root (id)
    UNION ALL
    SELECT member.id, root.id FROM unnest(${roots}::bigint[]) AS root (id)
    CROSS JOIN LATERAL (
      SELECT g.id FROM errata.groups AS g WHERE g.project_id = ${projectId} AND g.merged_into_id = root.id OFFSET 0
    ) AS member`

  /** Deletes the rows of each group by index: a join could scan whole tables that the planner takes for small. */
  const removeOf = (projectId: number, table: string, belongs: Statement.Fragment) => sql`
    DELETE FROM ${sql(`errata.${table}`)} WHERE ctid = ANY (ARRAY(
      SELECT own.ctid FROM gone CROSS JOIN LATERAL (
        SELECT t.ctid FROM ${sql(`errata.${table}`)} AS t WHERE t.project_id = ${projectId} AND ${belongs} OFFSET 0
      ) AS own))`

  /** The same with one statement per table: Citus runs the parts of a statement without waiting for each other. */
  const removeInSteps: GroupRemoval["remove"] = (projectId, roots, { notes }) =>
    Effect.gen(function* () {
      const gone = yield* sql`SELECT tree.id FROM (${treesOf(projectId, roots)}) AS tree`
      const ids = gone.map((row) => idRows.read(row).id)
      const isGone = sql`= ANY (${ids}::bigint[])`
      yield* sql`
        DELETE FROM errata.grouping_keys AS t USING errata.groups AS g
        WHERE g.project_id = ${projectId} AND g.id ${isGone} AND t.project_id = g.project_id AND t.group_id = g.id
          AND (t.is_alias OR t.algorithm = g.grouping_algorithm AND t.key = g.grouping_key)`
      for (const table of ["group_users", "group_user_bounds"]) {
        yield* sql`DELETE FROM ${sql(`errata.${table}`)} WHERE project_id = ${projectId} AND abs(sketch) ${isGone}`
      }
      yield* sql`DELETE FROM errata.group_merges WHERE project_id = ${projectId} AND source_id ${isGone}`
      for (const table of [...ofGroups, ...(notes ? ["notes"] : [])]) {
        yield* sql`DELETE FROM ${sql(`errata.${table}`)} WHERE project_id = ${projectId} AND group_id ${isGone}`
      }
      yield* sql`DELETE FROM errata.groups WHERE project_id = ${projectId} AND id ${isGone}`
    })

  return {
    treesOf,

    remove: (projectId, roots, also) => {
      if (Buckets.of(sql).count) return removeInSteps(projectId, roots, also)
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
          WHERE ${also.notes}::boolean AND project_id = ${projectId} AND group_id = ANY (ARRAY(SELECT id FROM gone))
        ),
        parts AS (${ofGroup("group_parts")}),
        users AS (${ofSketches("group_users")}),
        bounds AS (${ofSketches("group_user_bounds")}),
        minutes AS (${ofGroup("activity_minutes")}),
        hours AS (${ofGroup("activity_hours")}),
        merges AS (${removeOf(projectId, "group_merges", sql`t.source_id = gone.id`)})
        ${removeOf(projectId, "groups", sql`t.id = gone.id`)}`
    },

    count: (projectId, change) => sql`
      UPDATE errata.project_counts SET groups_count = groups_count + ${change}
      WHERE project_id = ${projectId}
        AND stripe = (SELECT min(stripe) FROM errata.project_counts WHERE project_id = ${projectId})`,
  }
}

// internal

const ofGroups = ["group_twins", "group_evidence", "group_parts", "activity_minutes", "activity_hours"]

const idRows = Rows.make({ id: int8() })
