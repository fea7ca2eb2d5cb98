/** The core's group filter as conditions on `errata.groups AS g`. Values are parameters, never text of the statement. */

import type { SqlClient, Statement } from "@effect/sql"
import { type GroupFilter, Severity, TextIndex } from "@errata/core"
import type { DateTime } from "effect"
import * as PgLiteral from "./PgLiteral.js"
import { toDate } from "./PgTime.js"

export const conditions = (
  sql: SqlClient.SqlClient,
  filter: GroupFilter.GroupFilter,
  now: DateTime.Utc,
): ReadonlyArray<Statement.Fragment> => {
  const all: Array<Statement.Fragment> = []
  if (filter.resolved !== undefined) {
    all.push(filter.resolved ? sql`g.resolved_at IS NOT NULL` : sql`g.resolved_at IS NULL`)
  }
  if (filter.muted !== undefined) {
    const at = toDate(now)
    const muted = sql`(
      (g.muted_at IS NOT NULL AND (g.muted_until IS NULL OR g.muted_until > ${at})
        AND (g.muted_until_reports_count IS NULL OR g.reports_count < g.muted_until_reports_count))
      OR (g.project_muted_at IS NOT NULL AND (g.project_muted_until IS NULL OR g.project_muted_until > ${at})))`
    all.push(filter.muted ? muted : sql`NOT ${muted}`)
  }
  if (filter.severities !== undefined) {
    all.push(sql`g.severity = ANY (${PgLiteral.numbers(filter.severities.map(Severity.rank))}::smallint[])`)
  }
  for (const { key, value } of filter.tags) {
    all.push(sql`EXISTS (
      SELECT 1 FROM errata.group_tags AS t
      WHERE t.project_id = g.project_id AND t.group_id = g.id AND t.tag = errata.tag_hash(${key}, ${value}))`)
  }
  if (filter.errorType !== undefined) all.push(sql`g.error_type = ${filter.errorType}`)
  if (filter.assignee !== undefined) {
    all.push(
      filter.assignee === "none" ? sql`g.assignee_id IS NULL` : sql`g.assignee_id = ${filter.assignee}`,
    )
  }
  if (filter.reportsCount !== undefined) {
    all.push(sql`g.reports_count ${sql.literal(filter.reportsCount.op)} ${filter.reportsCount.value}`)
  }
  if (filter.lastOccurredFrom !== undefined)
    all.push(sql`g.last_occurred_at >= ${new Date(filter.lastOccurredFrom)}`)
  if (filter.lastOccurredTo !== undefined)
    all.push(sql`g.last_occurred_at <= ${new Date(filter.lastOccurredTo)}`)
  if (filter.text.length > 0) all.push(sql`g.search @@ ${TextIndex.toTsQuery(filter.text)}::tsquery`)
  return all
}
