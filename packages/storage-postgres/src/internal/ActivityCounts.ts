/** Report counts by time: pending ones in `errata.uncounted` and adding them up. */

import { type ActivityCount, activityKept } from "@errata/core/ports"
import type { SqlClient, Statement } from "effect/sql"
import * as PgLiteral from "./PgLiteral.js"

/** Columns of `errata.uncounted` for these counts. */
export const columns = "project_ids, group_ids, minutes, reports, new_groups"

/** Values of the columns. */
export const values = (
  sql: SqlClient.SqlClient,
  counts: ReadonlyArray<ActivityCount>,
): Statement.Fragment => {
  const of = (field: keyof ActivityCount) => PgLiteral.numbers(counts.map((count) => count[field]))
  return sql`${of("projectId")}::bigint[], ${of("groupId")}::bigint[], ${of("minute")}::integer[],
    ${of("reports")}::integer[], ${of("newGroups")}::smallint[]`
}

/** Expands rows of `errata.uncounted`, called `u`, to one row `c` per count. */
export const rows = `
  unnest(u.project_ids, u.group_ids, u.minutes, u.reports, u.new_groups)
    AS c (project_id, group_id, minute, reports, new_groups)`

/**
 * Adds up the rows `taken` of `errata.uncounted`, in key order to prevent deadlocks. Counts of deleted groups are
 * dropped, but still count for the project.
 */
export const added = (sql: SqlClient.SqlClient): Statement.Fragment => {
  const sums = (span: number) => `
    SELECT project_id, coalesce(group_id, 0), minute / ${span} AS at, sum(new_groups), sum(reports) FROM activity`
  const written = `
    GROUP BY GROUPING SETS ((project_id, group_id, is_there, at), (project_id, at)) HAVING is_there IS NOT FALSE
    ORDER BY 1, 2, 3`
  const adds =
    "DO UPDATE SET new_groups = a.new_groups + excluded.new_groups, reports = a.reports + excluded.reports"
  // OFFSET 0 forces one lookup per group, in its project's partition, instead of a join.
  return sql`
    activity AS MATERIALIZED (
      SELECT c.project_id, c.group_id, c.minute, sum(c.reports) AS reports, sum(c.new_groups) AS new_groups,
        EXISTS (SELECT FROM errata.groups AS g WHERE g.project_id = c.project_id AND g.id = c.group_id OFFSET 0) AS is_there
      FROM taken AS u CROSS JOIN LATERAL ${sql.literal(rows)}
      GROUP BY c.project_id, c.group_id, c.minute
    ),
    minutes AS (
      INSERT INTO errata.activity_minutes AS a (project_id, group_id, minute, new_groups, reports)
      ${sql.literal(sums(1))}
      WHERE minute >= extract(epoch FROM errata.now()) / 60 - ${activityKept.minutes * 24 * 60}
      ${sql.literal(written)}
      ON CONFLICT (project_id, group_id, minute) ${sql.literal(adds)}
    ),
    hours AS (
      INSERT INTO errata.activity_hours AS a (project_id, group_id, hour, new_groups, reports)
      ${sql.literal(sums(60))} ${sql.literal(written)}
      ON CONFLICT (project_id, group_id, hour) ${sql.literal(adds)}
    )`
}
