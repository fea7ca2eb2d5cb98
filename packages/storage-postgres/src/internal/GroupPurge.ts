/** Removing groups that have no report left, some at a time, with the groups that they stand for. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import * as Buckets from "./Buckets.js"
import * as GroupRemoval from "./GroupRemoval.js"
import * as PgLiteral from "./PgLiteral.js"
import * as Rows from "./Rows.js"
import { int8 } from "./SqlType.js"

/** `count` counts groups with the run, in the transaction of the caller. */
export const make =
  (sql: SqlClient.SqlClient, count: (groups: number) => Effect.Effect<unknown, SqlError>) =>
  (before: Date): Effect.Effect<void, SqlError> => {
    const removal = GroupRemoval.make(sql)

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
      FROM (${removal.treesOf(projectId, roots)}) AS tree
      WHERE EXISTS (
        SELECT FROM errata.reports AS r WHERE r.project_id = ${projectId} AND r.group_id = tree.id OFFSET 0)`

    /** Answers the last one that was looked at; null where there was none. */
    const removeSome = (projectId: number, after: number) =>
      sql.withTransaction(
        Effect.gen(function* () {
          const roots = ids(yield* lockNext(projectId, after))
          if (roots.length === 0) return null
          const kept = new Set(ids(yield* withReports(projectId, PgLiteral.numbers(roots))))
          const empty = roots.filter((id) => !kept.has(id))
          if (empty.length > 0) {
            yield* removal.remove(projectId, PgLiteral.numbers(empty), { notes: true })
            yield* count(empty.length)
            // Last, because every batch of a project writes them: the shorter they are held, the better.
            yield* removal.count(projectId, -empty.length)
          }
          return roots.at(-1)!
        }),
      )

    return Effect.gen(function* () {
      const isOwn = yield* Buckets.own(sql)
      for (const projectId of ids(yield* sql`SELECT id FROM errata.projects ORDER BY id`)) {
        if (!isOwn(projectId)) continue
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
