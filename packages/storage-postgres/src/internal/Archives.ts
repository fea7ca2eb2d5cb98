/**
 * Changes of `errata.archives` outside of the archiving job: by retention, which removes weeks, and by discards, which
 * remove bodies. See docs/decisions/049-archived-bodies.md.
 */
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import * as Batch from "./Batch.js"
import * as Buckets from "./Buckets.js"
import * as Rows from "./Rows.js"
import { int4, int8, text } from "./SqlType.js"
import * as Weeks from "./Weeks.js"

/** Hides objects from readers. The archiving job removes them. */
export const retire = (sql: SqlClient.SqlClient, where: Statement.Fragment): Effect.Effect<void, SqlError> =>
  Effect.asVoid(sql`
    UPDATE errata.archives AS archives
    SET state = CASE WHEN state = 'live' THEN 'removing' ELSE 'abandoned' END, changed_at = errata.now()
    WHERE state IN ('writing', 'written', 'live') AND ${where}`)

/** Waits for discards that may not have seen a new row of `errata.archives`, and so remove bodies without it. */
export const awaitDiscards = (sql: SqlClient.SqlClient) =>
  Buckets.lock(sql, sql`pg_advisory_xact_lock(${lock(sql)})`)

/** Makes the next rewrite of an object omit bodies, if they are in an object or being copied to one. */
export const removeFrom = (
  sql: SqlClient.SqlClient,
  projectId: number,
  segments: ReadonlyMap<number, ReadonlySet<number>>,
): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    yield* Buckets.lock(sql, sql`pg_advisory_xact_lock_shared(${lock(sql)})`)
    // A statement before: Citus mixes up an insert that reads its bucket and needs the clock or a cast.
    const archived = yield* sql`
      SELECT week FROM errata.archives
      WHERE project_id = ${projectId} AND state IN ('writing', 'written', 'live')`
    if (archived.length === 0) return
    const weeks = archived.map((row) => weekRows.read(row).week)
    const removals = Array.from(segments, ([segmentId, positions]) => ({
      segmentId,
      week: Weeks.weekOf(segmentId),
      positions: `{${[...positions].join(",")}}`,
    }))
    yield* sql`
      INSERT INTO errata.archive_removals AS known (project_id, segment_id, positions)
      SELECT ${projectId}, c.segment_id, c.positions::integer[] FROM ${newRemovals.rows(sql, removals)}
      WHERE c.week = ANY (${weeks}::integer[]) ORDER BY c.segment_id
      ON CONFLICT (project_id, segment_id) DO UPDATE SET positions = known.positions || excluded.positions`
  })

/** Condition on segments `r` of the default partition: neither the queue, a dead letter nor another segment refers to them. */
export const notNeeded = (sql: SqlClient.SqlClient): Statement.Fragment => sql`
  (r.payloads_count > 0 OR NOT EXISTS (
    SELECT FROM errata.segments_default AS b WHERE b.project_id = r.project_id AND b.dictionary_id = r.id))
  AND NOT EXISTS (SELECT FROM errata.pending_batches AS b WHERE b.project_id = r.project_id AND b.segment_id = r.id)
  AND NOT EXISTS (SELECT FROM errata.dead_letters AS b WHERE b.project_id = r.project_id AND b.segment_id = r.id)`

// internal

const lock = (sql: SqlClient.SqlClient) => sql.literal(`hashtextextended('errata.archives', 0)`)

interface NewRemoval {
  readonly segmentId: number
  readonly week: number
  readonly positions: string
}

const weekRows = Rows.make({ week: int4() })

const newRemovals = Batch.ofFields<NewRemoval>({ segmentId: int8(), week: int4(), positions: text() })
