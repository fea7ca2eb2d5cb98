import type { GroupId, ProjectId } from "@errata/core"
import {
  type ActivityRange,
  type ActivitySeries,
  ActivityStore,
  activityKept,
  stepMinutes,
  stepsOf,
} from "@errata/core/ports"
import { Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import * as ActivityCounts from "./internal/ActivityCounts.js"
import * as Buckets from "./internal/Buckets.js"
import { byIndex } from "./internal/ByIndex.js"
import { named } from "./internal/PgStorageError.js"
import * as Rows from "./internal/Rows.js"
import { int4, int8 } from "./internal/SqlType.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  /**
   * Looks up each group by primary key, regardless of statistics. Pending counts are read in the same snapshot, so
   * nothing is counted twice or missed.
   */
  const sums = (projectId: ProjectId, ids: ReadonlyArray<number>, { since, step, until }: ActivityRange) => {
    const { column, span, table } = step === "minute" ? minutes : hours
    const [from, to] = [since / span, until / span]
    return sql`
      WITH tree AS MATERIALIZED (
        SELECT root.id AS root_id, root.id FROM unnest(${ids}::bigint[]) AS root (id)
        UNION ALL
        SELECT root.id, member.id FROM unnest(${ids}::bigint[]) AS root (id)
        CROSS JOIN LATERAL (
          SELECT g.id FROM errata.groups AS g WHERE g.project_id = ${projectId} AND g.merged_into_id = root.id OFFSET 0
        ) AS member
      ),
      counted AS (
        SELECT tree.root_id, a.at, a.reports, a.new_groups
        FROM tree CROSS JOIN LATERAL (
          SELECT a.${sql(column)} AS at, a.reports, a.new_groups FROM ${sql(table)} AS a
          WHERE a.project_id = ${projectId} AND a.group_id = tree.id
            AND a.${sql(column)} >= ${from} AND a.${sql(column)} < ${to} OFFSET 0
        ) AS a
        UNION ALL
        SELECT tree.root_id, c.minute / ${sql.literal(String(span))}, c.reports, c.new_groups
        FROM errata.uncounted AS u CROSS JOIN LATERAL ${sql.literal(ActivityCounts.rows)}
        JOIN tree ON tree.id = c.group_id OR tree.id = ${ofProject}
        WHERE c.project_id = ${projectId} AND c.minute >= ${since} AND c.minute < ${until}
      )
      SELECT root_id AS group_id, (at - ${from}::integer) / ${stepMinutes[step] / span}::integer AS place,
        sum(reports)::bigint AS reports, sum(new_groups)::bigint AS new_groups
      FROM counted GROUP BY 1, 2`
  }

  /** Sums counts by group and then by root. Only merged groups are looked up, and the busy ones of the others. */
  const busiest = (
    projectId: ProjectId,
    { since, step, until }: ActivityRange,
    atLeast: number,
    limit: number,
  ) => {
    const { column, span, table } = step === "minute" ? minutes : hours
    const inRange = sql`
      SELECT group_id, reports FROM ${sql(table)}
      WHERE project_id = ${projectId} AND group_id <> ${ofProject}
        AND ${sql(column)} >= ${since / span} AND ${sql(column)} < ${until / span}`
    // Hours and days have separate indexes.
    const counted =
      step === "minute" ? inRange : sql`${inRange} AND hour % 24 <> 0 UNION ALL ${inRange} AND hour % 24 = 0`
    return sql`
      WITH counted AS (
        ${counted}
        UNION ALL
        SELECT c.group_id, c.reports FROM errata.uncounted AS u CROSS JOIN LATERAL ${sql.literal(ActivityCounts.rows)}
        WHERE c.project_id = ${projectId} AND c.minute >= ${since} AND c.minute < ${until}
      ),
      of_groups AS (SELECT group_id AS id, sum(reports) AS reports FROM counted GROUP BY 1),
      of_roots AS (
        SELECT coalesce(m.merged_into_id, o.id) AS id, sum(o.reports)::bigint AS reports
        FROM of_groups AS o
        LEFT JOIN errata.groups AS m ON m.project_id = ${projectId} AND m.id = o.id AND m.merged_into_id IS NOT NULL
        GROUP BY 1 HAVING sum(o.reports) >= ${atLeast}
      )
      SELECT r.id AS group_id, r.reports FROM of_roots AS r
      CROSS JOIN LATERAL (
        SELECT FROM errata.groups AS g WHERE g.project_id = ${projectId} AND g.id = r.id LIMIT 1
      ) AS g
      ORDER BY r.reports DESC, r.id LIMIT ${limit}`
  }

  /** Skips rows that recording is writing. */
  const some = (table: string, where: Statement.Fragment, time: string, limit: number) => sql`
    ctid = ANY (ARRAY(
      SELECT ctid FROM ${sql(table)} WHERE ${where} ORDER BY project_id, ${sql(time)} LIMIT ${limit}
      FOR UPDATE SKIP LOCKED))`

  const remove = (
    projectId: ProjectId,
    table: string,
    time: string,
    old: Statement.Fragment,
    limit: number,
  ) => {
    const where = sql`project_id = ${projectId} AND ${old}`
    return Effect.map(
      sql`DELETE FROM ${sql(table)} WHERE ${where} AND ${some(table, where, time, limit)} RETURNING 1`,
      (rows) => rows.length,
    )
  }

  /** Adds the counts of a day to its first hour. */
  const makeDays = (projectId: ProjectId, before: number, limit: number) => {
    const where = sql`project_id = ${projectId} AND hour < ${before} AND hour % 24 <> 0`
    return Effect.map(
      sql`
        WITH old AS (
          DELETE FROM errata.activity_hours WHERE ${where} AND ${some(hours.table, where, "hour", limit)}
          RETURNING group_id, hour, new_groups, reports
        ),
        days AS (
          INSERT INTO errata.activity_hours AS a (project_id, group_id, hour, new_groups, reports)
          SELECT ${projectId}::bigint, group_id, hour - hour % 24 AS day, sum(new_groups), sum(reports)
          FROM old GROUP BY group_id, day ORDER BY group_id, day
          ON CONFLICT (project_id, group_id, hour) DO UPDATE SET
            new_groups = a.new_groups + excluded.new_groups, reports = a.reports + excluded.reports
        )
        SELECT count(*) AS count FROM old`,
      ([row]) => countRows.read(row!).count,
    )
  }

  /** One short transaction per project. */
  const forgetOf = (projectId: ProjectId, today: number, limit: number) =>
    Effect.gen(function* () {
      const [minute, hour, day] = [
        today - activityKept.minutes,
        today - activityKept.hours,
        today - activityKept.days,
      ]
      const old = sql`minute < ${minute * stepMinutes.day}`
      const tooOld = sql`hour < ${day * 24} AND hour % 24 = 0`
      return (
        (yield* remove(projectId, minutes.table, minutes.column, old, limit)) +
        (yield* makeDays(projectId, hour * 24, limit)) +
        (yield* remove(projectId, hours.table, hours.column, tooOld, limit))
      )
    }).pipe(byIndex(sql))

  return ActivityStore.of({
    series: (projectId, groupIds, range) =>
      sums(projectId, groupIds ?? [ofProject], range).pipe(
        Effect.map((rows) => toSeries(groupIds, range, rows)),
        named("ActivityStore.series"),
      ),

    busiest: (projectId, range, atLeast, limit) =>
      busiest(projectId, range, atLeast, limit).pipe(
        Effect.map((rows) => rows.map(busiestRows.read)),
        named("ActivityStore.busiest"),
      ),

    forget: (now, limit) =>
      Effect.gen(function* () {
        const today = Math.floor(now.epochMilliseconds / 60_000 / stepMinutes.day)
        const isOwn = yield* Buckets.own(sql)
        let total = 0
        for (const row of yield* sql`SELECT id FROM errata.projects WHERE purged_at IS NULL ORDER BY id`) {
          const { id } = projectRows.read(row)
          if (isOwn(id)) total += yield* forgetOf(id, today, limit)
        }
        return total
      }).pipe(named("ActivityStore.forget")),
  })
})

export const layer = Layer.effect(ActivityStore, make)

// internal

/** Group id of the project's own rows. */
const ofProject = 0

/** `span` is in minutes. */
const minutes = { table: "errata.activity_minutes", column: "minute", span: 1 }
const hours = { table: "errata.activity_hours", column: "hour", span: 60 }

const sumRows = Rows.make({ groupId: int8(), place: int4(), reports: int8(), newGroups: int8() })
const busiestRows = Rows.make({ groupId: int8<GroupId>(), reports: int8() })
const countRows = Rows.make({ count: int8() })
const projectRows = Rows.make({ id: int8<ProjectId>() })

const toSeries = (
  groupIds: ReadonlyArray<GroupId> | null,
  range: ActivityRange,
  rows: ReadonlyArray<object>,
): ReadonlyArray<ActivitySeries> => {
  const zeros = () => Array.from({ length: stepsOf(range) }, () => 0)
  const series = new Map(
    (groupIds ?? [null]).map((groupId) => [
      groupId ?? ofProject,
      { groupId, reports: zeros(), newGroups: zeros() },
    ]),
  )
  for (const row of rows.map(sumRows.read)) {
    const { newGroups, reports } = series.get(row.groupId)!
    reports[row.place] = row.reports
    newGroups[row.place] = row.newGroups
  }
  return Array.from(series.values(), ({ newGroups, ...rest }) => ({
    ...rest,
    newGroups: rest.groupId === null ? newGroups : null,
  }))
}
