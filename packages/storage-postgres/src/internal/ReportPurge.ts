/**
 * Removes reports that are not dropped with their week, and subtracts the tags of reports from the counts of their
 * groups.
 *
 * Each step is a transaction. It takes the locks that recording takes, in the same order: the roots of the groups, then
 * the lock for adding up counts. Recording into one of the groups therefore runs before or after a step.
 */

import { type ProjectId, StorageError } from "@errata/core"
import { Effect, Schedule } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import * as Rows from "./Rows.js"
import { causeOf, sqlState } from "./SqlState.js"
import { boolean, int8 } from "./SqlType.js"
import * as TagCounts from "./TagCounts.js"

/** Reports of one partition or of the default one, by a range of ids. */
export interface ReportRange {
  readonly table: string
  readonly from: number
  readonly below: number
  /** Only those recorded before this time; null for all. */
  readonly before: Date | null
}

export interface ReportPurge {
  /** Subtracts the tags of reports from the counts of their groups, in the caller's transaction. */
  readonly takeOffTags: (projectId: number, ids: ReadonlyArray<number>) => Effect.Effect<void, SqlError>
  /** Runs a step in its own transaction, and retries it after a conflict. */
  readonly inTransaction: <A>(
    step: Effect.Effect<A, SqlError | StorageError>,
  ) => Effect.Effect<A, SqlError | StorageError>
  /** Removes the reports of a range. */
  readonly remove: (range: ReportRange) => Effect.Effect<void, SqlError | StorageError>
  /**
   * Prepares a week without writers for being dropped. Subtracts the tags of its reports exactly once, even if
   * restarted.
   */
  readonly settleWeek: (week: number, range: ReportRange) => Effect.Effect<void, SqlError | StorageError>
}

/** `count` adds the removed reports to the run, in the caller's transaction. */
export const make = (
  sql: SqlClient.SqlClient,
  count: (reports: number) => Effect.Effect<unknown, SqlError>,
): ReportPurge => {
  const tagCounts = TagCounts.make(sql)

  /** The next reports of a project by id. `lock` locks those to be removed. */
  const next = (
    { before, below, from, table }: ReportRange,
    projectId: number,
    after: number,
    lock: Statement.Fragment,
  ) =>
    Effect.map(
      sql`
        SELECT id, group_id, ${before === null ? sql`true` : sql`created_at < ${before}`} AS is_old
        FROM ${sql(`errata.${table}`)}
        WHERE project_id = ${projectId} AND id > ${after} AND id >= ${from} AND id < ${below}
        ORDER BY id LIMIT ${reportsTogether} ${lock}`,
      (rows) => rows.map(chunkRows.read),
    )

  const nextProject = ({ below, from, table }: ReportRange, after: number) =>
    Effect.map(
      sql`
        SELECT project_id AS id FROM ${sql(`errata.${table}`)}
        WHERE project_id > ${after} AND id >= ${from} AND id < ${below} ORDER BY project_id LIMIT 1`,
      ([row]) => (row === undefined ? null : idRows.read(row).id),
    )

  /** Locks the roots of groups. Fails with a conflict if a group was merged or unmerged during the wait. */
  const lockRoots = (projectId: number, groupIds: ReadonlyArray<number>) =>
    Effect.gen(function* () {
      const rootsOf = sql`
        SELECT DISTINCT coalesce(g.merged_into_id, g.id) AS id FROM errata.groups AS g
        WHERE g.project_id = ${projectId} AND g.id = ANY (${[...new Set(groupIds)]}::bigint[])`
      const locked = yield* sql`
        SELECT id FROM errata.groups WHERE project_id = ${projectId} AND id IN (${rootsOf})
        ORDER BY id FOR NO KEY UPDATE`
      const ids = new Set(locked.map((row) => idRows.read(row).id))
      const roots = yield* rootsOf
      if (roots.some((row) => !ids.has(idRows.read(row).id))) return yield* treeChanged
    })

  const takeOffTags = (table: string, projectId: number, ids: ReadonlyArray<number>) => sql`
    WITH tags AS MATERIALIZED (
      SELECT c.group_id, t.tag, count(*) AS count
      FROM ${sql(`errata.${table}`)} AS c CROSS JOIN LATERAL (${tagsOfReport(sql)}) AS t
      WHERE c.project_id = ${projectId} AND c.id = ANY (${ids}::bigint[])
      GROUP BY 1, 2
    ),
    gone AS (
      DELETE FROM errata.group_tags AS t USING tags AS c
      WHERE t.project_id = ${projectId} AND t.tag = c.tag AND t.group_id = c.group_id AND t.count <= c.count
    )
    UPDATE errata.group_tags AS t SET count = t.count - c.count FROM tags AS c
    WHERE t.project_id = ${projectId} AND t.tag = c.tag AND t.group_id = c.group_id AND t.count > c.count`

  const takeOffCounted = Effect.fnUntraced(function* (
    table: string,
    projectId: number,
    ids: ReadonlyArray<number>,
  ) {
    yield* tagCounts.foldAll
    yield* sql`UPDATE errata.tag_removals SET count = count + 1`
    yield* takeOffTags(table, projectId, ids)
  })

  const takeOff = (table: string, projectId: number, reports: ReadonlyArray<Chunk>) =>
    Effect.gen(function* () {
      const ids = reports.map(({ id }) => id)
      yield* lockRoots(
        projectId,
        reports.map(({ groupId }) => groupId),
      )
      yield* takeOffCounted(table, projectId, ids)
      yield* count(reports.length)
      return ids
    })

  const inTransaction = <A>(step: Effect.Effect<A, SqlError | StorageError>) =>
    Effect.retry(sql.withTransaction(step), { while: isConflict, schedule: conflictSchedule })

  /** Removes the next old reports of a project. Returns the last id, or null if there are none. */
  const removeSome = (range: ReportRange, projectId: number, after: number) =>
    inTransaction(
      Effect.gen(function* () {
        // Ids grow with time, apart from concurrent recording. A batch without old reports means that none are left.
        const chunk = yield* next(range, projectId, after, sql`FOR UPDATE`)
        const old = chunk.filter(({ isOld }) => isOld)
        if (old.length === 0) return null
        const ids = yield* takeOff(range.table, projectId, old)
        yield* sql`
          DELETE FROM ${sql(`errata.${range.table}`)}
          WHERE project_id = ${projectId} AND id = ANY (${ids}::bigint[])`
        return old.at(-1)!.id
      }),
    )

  /** Subtracts the tags of the next reports of a week. Returns whether there are more. */
  const settleSome = (week: number, range: ReportRange) =>
    inTransaction(
      Effect.gen(function* () {
        const [row] = yield* sql`
          SELECT after_project, after_report FROM errata.retention_marks WHERE week = ${week} FOR UPDATE`
        const mark = markRows.read(row!)
        const chunk = yield* next(range, mark.afterProject, mark.afterReport, sql``)
        if (chunk.length > 0) yield* takeOff(range.table, mark.afterProject, chunk)
        const projectId = chunk.length > 0 ? mark.afterProject : yield* nextProject(range, mark.afterProject)
        if (projectId === null) return false
        yield* sql`
          UPDATE errata.retention_marks
          SET after_project = ${projectId}, after_report = ${chunk.at(-1)?.id ?? 0} WHERE week = ${week}`
        return true
      }),
    )

  return {
    inTransaction,

    takeOffTags: (projectId, ids) => takeOffCounted("reports", projectId, ids),

    remove: (range) =>
      Effect.gen(function* () {
        let projectId = yield* nextProject(range, 0)
        while (projectId !== null) {
          let after: number | null = 0
          while (after !== null) {
            after = yield* removeSome(range, projectId, after)
            yield* Effect.yieldNow
          }
          projectId = yield* nextProject(range, projectId)
        }
      }),

    settleWeek: (week, range) =>
      Effect.gen(function* () {
        yield* sql`
          INSERT INTO errata.retention_marks (week, after_project, after_report) VALUES (${week}, 0, 0)
          ON CONFLICT DO NOTHING`
        while (yield* settleSome(week, range)) yield* Effect.yieldNow
      }),
  }
}

// internal

/** Batch size: takes a few hundredths of a second and locks at most as many groups. */
const reportsTogether = 500

interface Chunk {
  readonly id: number
  readonly groupId: number
  readonly isOld: boolean
}

const chunkRows = Rows.make({ id: int8(), groupId: int8(), isOld: boolean })
const idRows = Rows.make({ id: int8<ProjectId>() })
const markRows = Rows.make({ afterProject: int8(), afterReport: int8() })

/** The hashes of the tags that recording counts for the report `c`: see `Settlement.ts`. */
const tagsOfReport = (sql: SqlClient.SqlClient): Statement.Fragment => sql`
  WITH fields AS (
    SELECT errata.tag_hash(key, value) AS tag
    FROM (
      VALUES ('server_name', c.server_name), ('environment', c.environment), ('release', (
        SELECT v.version FROM errata.releases AS v WHERE v.project_id = c.project_id AND v.id = c.release_id))
    ) AS f (key, value)
    WHERE value <> ''
  )
  SELECT tag FROM fields
  UNION ALL
  SELECT own.tag FROM errata.hashes_in(c.tags) AS own (tag) WHERE own.tag NOT IN (SELECT tag FROM fields)`

const treeChanged = new StorageError({
  operation: "RetentionStore.purgeReports",
  reason: "conflict",
  cause: new Error("groups were merged or unmerged while waiting for their locks"),
})

/** Each step is its own transaction, so it can be retried after a conflict. */
const isConflict = (error: SqlError | StorageError): boolean =>
  error._tag === "StorageError"
    ? error.reason === "conflict"
    : ["40001", "40P01"].includes(sqlState(causeOf(error)) ?? "")

const conflictSchedule = Schedule.max([
  Schedule.jittered(Schedule.exponential("10 millis")),
  Schedule.recurs(8),
])
