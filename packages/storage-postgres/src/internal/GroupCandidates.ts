/**
 * Groups that may match a filter: those of one condition that few groups meet. Each statement has the order of a single
 * index, so the planner uses that index regardless of statistics.
 */
import { type GroupFilter, type ProjectId, Severity } from "@errata/core"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { byIndex } from "./ByIndex.js"
import { coarseBounds, hashesOf, listed } from "./GroupFilterSql.js"
import * as Rows from "./Rows.js"
import { json } from "./SqlType.js"

export interface Candidates {
  readonly ids: ReadonlyArray<number>
  /** True if they include all matches. Otherwise they are some of the groups that meet one condition. */
  readonly complete: boolean
}

/** Returns null if no condition has an index. */
export type GroupCandidates = (
  projectId: ProjectId,
  filter: GroupFilter.GroupFilter,
) => Effect.Effect<Candidates | null, SqlError>

export const make = (sql: SqlClient.SqlClient): GroupCandidates => {
  /** In one row, because reading thousands of them costs more than finding them. */
  const idsOf = (statement: Statement.Fragment) =>
    Effect.map(
      sql`SELECT coalesce(json_agg(found.id) FILTER (WHERE found.id IS NOT NULL), '[]') AS ids FROM (${statement}) AS found`,
      ([row]) => idRows.read(row!).ids,
    )

  /** Writes equality as a range, because the planner drops a constant from an order. */
  const withKey = (projectId: ProjectId, key: string, value: Statement.Fragment) =>
    inRange(projectId, key, [sql`${sql.literal(key)} >= ${value} AND ${sql.literal(key)} <= ${value}`])

  const inRange = (projectId: ProjectId, key: string, range: ReadonlyArray<Statement.Fragment>) => sql`
    SELECT g.id FROM errata.groups AS g WHERE ${sql.and([...listed(sql, projectId), ...range])}
    ORDER BY ${sql.literal(key)}, g.id LIMIT ${maxCandidates + 1}`

  const probes = (
    projectId: ProjectId,
    { assignee, errorType, muted, reopened, resolved, severities, ...filter }: GroupFilter.GroupFilter,
  ): ReadonlyArray<Statement.Fragment> => [
    ...(["createdFrom", "resolvedFrom"] as const).flatMap((bound) => {
      const from = filter[bound]
      const column = bound === "createdFrom" ? "g.created_at" : "g.resolved_at"
      return from === undefined
        ? []
        : [inRange(projectId, column, [sql`${sql.literal(column)} >= ${new Date(from)}`])]
    }),
    ...(assignee === undefined
      ? []
      : [
          withKey(
            projectId,
            "coalesce(g.assignee_id, 0)",
            sql`${assignee === "none" ? 0 : assignee}::bigint`,
          ),
        ]),
    ...(errorType === undefined ? [] : [withKey(projectId, "md5(g.error_type)", sql`md5(${errorType})`)]),
    ...(["reports_bucket", "users_bucket", "last_occurred_hour"] as const).flatMap((column) => {
      const range = coarseBounds(sql, filter, column)
      return range.length === 0 ? [] : [inRange(projectId, `g.${column}`, range)]
    }),
    ...(severities === undefined
      ? []
      : [
          sql.join(
            " UNION ALL ",
            false,
          )(
            severities.map(
              (severity) =>
                sql`(${withKey(projectId, "g.severity", sql`${Severity.rank(severity)}::smallint`)})`,
            ),
          ),
        ]),
    ...(muted === true
      ? [inRange(projectId, "g.id", [sql`(g.muted_at IS NOT NULL OR g.project_muted_at IS NOT NULL)`])]
      : []),
    ...(reopened === true ? [inRange(projectId, "g.id", [sql`g.reopened_at IS NOT NULL`])] : []),
    ...(resolved === undefined
      ? []
      : [
          inRange(projectId, "g.id", [
            sql`g.resolved_at ${sql.literal(resolved ? "IS NOT NULL" : "IS NULL")}`,
          ]),
        ]),
  ]

  /** Groups with the rarest of the tags, or none if one of the tags is unknown. */
  const withRarest = (projectId: ProjectId, tags: GroupFilter.GroupFilter["tags"]) => sql`
    WITH found AS MATERIALIZED (
      SELECT wanted.tag, t.group_id FROM unnest(${hashesOf(sql, tags)}) AS wanted (tag)
      LEFT JOIN LATERAL (
        SELECT t.group_id FROM errata.group_tags AS t
        WHERE t.project_id = ${projectId} AND t.tag >= wanted.tag AND t.tag <= wanted.tag
        ORDER BY t.tag, t.group_id LIMIT ${maxCandidates + 1}
      ) AS t ON true
    )
    SELECT group_id AS id FROM found
    WHERE tag = (SELECT tag FROM found GROUP BY tag ORDER BY count(group_id) LIMIT 1)`

  const rootsOf = (projectId: ProjectId, ids: ReadonlyArray<number>) =>
    idsOf(sql`
      SELECT DISTINCT coalesce(g.merged_into_id, g.id) AS id FROM errata.groups AS g
      WHERE g.project_id = ${projectId} AND g.id = ANY (${ids}::bigint[])`)

  const search = (projectId: ProjectId, filter: GroupFilter.GroupFilter) =>
    Effect.gen(function* () {
      let some: Candidates | null = null
      if (filter.tags.length > 0) {
        const tagged = yield* idsOf(withRarest(projectId, filter.tags))
        some = { ids: yield* rootsOf(projectId, tagged), complete: tagged.length <= maxCandidates }
      }
      for (const probe of probes(projectId, filter)) {
        if (some?.complete) break
        const ids = yield* idsOf(probe)
        if (some === null || ids.length <= maxCandidates)
          some = { ids, complete: ids.length <= maxCandidates }
      }
      return some
    }).pipe(byIndex(sql))

  return (projectId, filter) =>
    filter.ids === undefined ? search(projectId, filter) : Effect.succeed({ ids: filter.ids, complete: true })
}

// internal

/** Checking this many takes about ten milliseconds. */
const maxCandidates = 2_000

const idRows = Rows.make({ ids: json<ReadonlyArray<number>>() })
