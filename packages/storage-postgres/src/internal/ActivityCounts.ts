/** Counts of reports by time, as they wait in `errata.uncounted` and as they are added up. */

import { type ActivityCount, activityKept } from "@errata/core/ports"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import * as PgLiteral from "./PgLiteral.js"
import * as Rows from "./Rows.js"
import { int8, integers } from "./SqlType.js"

/** The columns of `errata.uncounted` that hold them. */
export const columns = "project_ids, group_ids, minutes, reports, new_groups"

/** Their values. */
export const values = (
  sql: SqlClient.SqlClient,
  counts: ReadonlyArray<ActivityCount>,
): Statement.Fragment => {
  const of = (field: keyof ActivityCount) => PgLiteral.numbers(counts.map((count) => count[field]))
  return sql`${of("projectId")}::bigint[], ${of("groupId")}::bigint[], ${of("minute")}::integer[],
    ${of("reports")}::integer[], ${of("newGroups")}::smallint[]`
}

/** A row for each count of rows of `errata.uncounted` that are called `u`; the rows are called `c`. */
export const rows = `
  unnest(u.project_ids, u.group_ids, u.minutes, u.reports, u.new_groups)
    AS c (project_id, group_id, minute, reports, new_groups)`

/** The same in steps, of rows that were read: for Citus, see `Buckets.here`. */
export const addInSteps = (
  sql: SqlClient.SqlClient,
  taken: ReadonlyArray<object>,
): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const all = taken.map(countedRows.read)
    const of = (field: keyof (typeof all)[number]) => PgLiteral.numbers(all.flatMap((row) => row[field]))
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
 * Adds rows of `errata.uncounted` that are called `taken` up, in the order of the keys, so that no two transactions wait
 * for each other. A group that is gone does not come back; its project counts its reports nonetheless.
 */
export const added = (sql: SqlClient.SqlClient): Statement.Fragment => sql`
    ${counted(sql, sql`taken AS u CROSS JOIN LATERAL ${sql.literal(rows)}`)},
    minutes AS (${addMinutes(sql, sql`extract(epoch FROM errata.now()) / 60`)}
    ),
    hours AS (${addHours(sql)}
    )`

// internal

const counted = (sql: SqlClient.SqlClient, from: Statement.Fragment) =>
  // With an offset groups are looked up one by one, each in the part that its project is in, and not joined.
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
