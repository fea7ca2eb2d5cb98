/** Removes groups without reports in batches, together with the groups merged into them. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import * as Buckets from "./Buckets.js"
import * as GroupRemoval from "./GroupRemoval.js"
import * as Rows from "./Rows.js"
import { int8 } from "./SqlType.js"

/** `count` adds the removed groups to the run, in the caller's transaction. */
export const make =
  (sql: SqlClient.SqlClient, count: (groups: number) => Effect.Effect<unknown, SqlError>) =>
  (before: Date): Effect.Effect<void, SqlError> => {
    const removal = GroupRemoval.make(sql)

    /**
     * Locks roots that may have no reports, and skips locked ones until the next run. If clocks are right, reports
     * occur at most a minute after they are recorded. With a margin of one hour, no group is missed and few groups with
     * reports are checked.
     */
    const lockNext = (projectId: number, after: number) => sql`
      SELECT id FROM errata.groups
      WHERE project_id = ${projectId} AND id > ${after} AND merged_into_id IS NULL AND created_at < ${before}
        AND last_occurred_hour <= errata.hour_of(${before}::timestamptz + INTERVAL '1 hour')
      ORDER BY id LIMIT ${groupsTogether} FOR UPDATE SKIP LOCKED`

    const ids = (rows: ReadonlyArray<object>) => rows.map((row) => idRows.read(row).id)

    /** Queried after locking: recording into these groups now waits. */
    const withReports = (projectId: number, roots: ReadonlyArray<number>) => sql`
      SELECT DISTINCT tree.root_id AS id
      FROM (${removal.treesOf(projectId, roots)}) AS tree
      WHERE EXISTS (
        SELECT FROM errata.reports AS r WHERE r.project_id = ${projectId} AND r.group_id = tree.id OFFSET 0)`

    /** Returns the last checked id, or null if none is left. */
    const removeSome = (projectId: number, after: number) =>
      sql.withTransaction(
        Effect.gen(function* () {
          const roots = ids(yield* lockNext(projectId, after))
          if (roots.length === 0) return null
          const kept = new Set(ids(yield* withReports(projectId, roots)))
          const empty = roots.filter((id) => !kept.has(id))
          if (empty.length > 0) {
            yield* removal.remove(projectId, empty, { notes: true })
            yield* count(empty.length)
            // Last, because every batch of the project updates these counters.
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
