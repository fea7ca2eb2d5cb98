/** Report counts by time: pending ones in `errata.uncounted` and adding them up. */

import { type ActivityCount, activityKept } from "@errata/core/ports"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import * as Rows from "./Rows.js"
import { int8, integers } from "./SqlType.js"

/** Columns of `errata.uncounted` for these counts. */
export const columns = "project_ids, group_ids, minutes, reports, new_groups"

/** Values of the columns. */
export const values = (
  sql: SqlClient.SqlClient,
  counts: ReadonlyArray<ActivityCount>,
): Statement.Fragment => {
  const of = (field: keyof ActivityCount) => counts.map((count) => count[field])
  return sql`${of("projectId")}::bigint[], ${of("groupId")}::bigint[], ${of("minute")}::integer[],
    ${of("reports")}::integer[], ${of("newGroups")}::smallint[]`
}

/** Expands rows of `errata.uncounted`, called `u`, to one row `c` per count. */
export const rows = `
  unnest(u.project_ids, u.group_ids, u.minutes, u.reports, u.new_groups)
    AS c (project_id, group_id, minute, reports, new_groups)`

/** The same in several statements, from rows that were read, for Citus. See `Buckets.here`. */
export const addInSteps = (
  sql: SqlClient.SqlClient,
  taken: ReadonlyArray<object>,
): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const all = taken.map(countedRows.read)
    const of = (field: keyof (typeof all)[number]) => all.flatMap((row) => row[field])
    const activity = counted(
      sql,
      sql`unnest(${of("projectIds")}::bigint[], ${of("groupIds")}::bigint[], ${of("minutes")}::integer[],
        ${of("reports")}::integer[], ${of("newGroups")}::smallint[])
        AS c (project_id, group_id, minute, reports, new_groups)`,
    )
    const [clock] = yield* sql`SELECT (extract(epoch FROM errata.now()) / 60)::bigint AS minute`
    const now = sql`${clockRows.read(clock!).minute}::bigint`
    yield* addMinutes(sql, now, sql`WITH ${activity}`)
    yield* addHours(sql, sql`WITH ${activity}`)
  })

/**
 * Adds up the rows `taken` of `errata.uncounted`, in key order to prevent deadlocks. Counts of deleted groups are
 * dropped, but still count for the project.
 */
export const added = (sql: SqlClient.SqlClient): Statement.Fragment => sql`
    ${counted(sql, sql`taken AS u CROSS JOIN LATERAL ${sql.literal(rows)}`)},
    minutes AS (${addMinutes(sql, sql`extract(epoch FROM errata.now()) / 60`)}
    ),
    hours AS (${addHours(sql)}
    )`

// internal

const counted = (sql: SqlClient.SqlClient, from: Statement.Fragment) =>
  // OFFSET 0 forces one lookup per group, in its project's partition, instead of a join.
  sql`
    activity AS MATERIALIZED (
      SELECT c.project_id, c.group_id, c.minute, sum(c.reports) AS reports, sum(c.new_groups) AS new_groups,
        EXISTS (SELECT FROM errata.groups AS g WHERE g.project_id = c.project_id AND g.id = c.group_id OFFSET 0) AS is_there
      FROM ${from}
      GROUP BY c.project_id, c.group_id, c.minute
    )`

const sums = (span: number) => `
    SELECT project_id, coalesce(group_id, 0), minute / ${span} AS at, sum(new_groups), sum(reports) FROM activity`
const written = `
    GROUP BY GROUPING SETS ((project_id, group_id, is_there, at), (project_id, at)) HAVING is_there IS NOT FALSE
    ORDER BY 1, 2, 3`
const adds =
  "DO UPDATE SET new_groups = a.new_groups + excluded.new_groups, reports = a.reports + excluded.reports"

/** `activity` stands before the insert, or is given: Citus does not name the shards in what stands before an insert. */
const addMinutes = (sql: SqlClient.SqlClient, now: Statement.Fragment, activity = sql``) => sql`
      INSERT INTO errata.activity_minutes AS a (project_id, group_id, minute, new_groups, reports)
      ${activity}${sql.literal(sums(1))}
      WHERE minute >= ${now} - ${activityKept.minutes * 24 * 60}
      ${sql.literal(written)}
      ON CONFLICT (project_id, group_id, minute) ${sql.literal(adds)}`

const addHours = (sql: SqlClient.SqlClient, activity = sql``) => sql`
      INSERT INTO errata.activity_hours AS a (project_id, group_id, hour, new_groups, reports)
      ${activity}${sql.literal(sums(60))} ${sql.literal(written)}
      ON CONFLICT (project_id, group_id, hour) ${sql.literal(adds)}`

const countedRows = Rows.make({
  projectIds: integers(),
  groupIds: integers(),
  minutes: integers(),
  reports: integers(),
  newGroups: integers(),
})
const clockRows = Rows.make({ minute: int8() })
