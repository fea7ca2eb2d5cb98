/**
 * Moves bodies of finished weeks to the object store, on one node at a time. See docs/decisions/049-archived-bodies.md.
 *
 * An object's row is inserted before it is written. Bodies leave the database in the transaction that makes their
 * objects live. A body is therefore always in the database or in a live object, and every object has a row.
 */
import { randomUUID } from "node:crypto"
import { ObjectStore, type ObjectStoreService } from "@errata/core/ports"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { ArchivedSegment } from "./ArchiveIndex.js"
import * as ArchiveRewrite from "./ArchiveRewrite.js"
import * as Archives from "./Archives.js"
import * as ArchiveWriter from "./ArchiveWriter.js"
import type { Bodies } from "./Bodies.js"
import * as EventPacks from "./EventPacks.js"
import * as Rows from "./Rows.js"
import { boolean, bytea, int4, int8, nullable, text } from "./SqlType.js"
import * as Weeks from "./Weeks.js"

/** Creates the job. `keptWeeks` is the number of finished weeks that stay in the database; null moves none. */
export const make = (sql: SqlClient.SqlClient, bodies: Bodies) =>
  Effect.map(ObjectStore, (store) => (store === null ? () => Effect.void : archiveTo(sql, store, bodies)))

// internal

const archiveTo = (sql: SqlClient.SqlClient, store: ObjectStoreService, { dictionaryOf }: Bodies) => {
  const removeObjects = Effect.gen(function* () {
    // This node holds the job. Objects in this state were started by a node that was killed or lost the job.
    yield* Archives.retire(sql, sql`state = 'writing'`)
    yield* Archives.retire(
      sql,
      sql`state = 'written' AND EXISTS (
        SELECT FROM errata.archives AS a
        WHERE a.project_id = archives.project_id AND a.week = archives.week AND a.state = 'live')`,
    )
    yield* Archives.retire(
      sql,
      sql`EXISTS (SELECT FROM errata.projects AS p WHERE p.id = archives.project_id AND p.deleted_at IS NOT NULL)`,
    )
    yield* sql`
      DELETE FROM errata.archive_removals AS r WHERE NOT EXISTS (
        SELECT FROM errata.archives AS a
        WHERE a.project_id = r.project_id AND a.week = r.segment_id / 10000000000
          AND a.state IN ('writing', 'written', 'live'))`
    const rows = yield* sql`SELECT name FROM errata.archives WHERE state IN ('removing', 'abandoned')`
    for (const row of rows) {
      const { name } = nameRows.read(row)
      yield* store.remove(name)
      // A hanging node may still finish its attempt after this.
      yield* sql`
        DELETE FROM errata.archives
        WHERE name = ${name}
          AND (state = 'removing' OR state = 'abandoned' AND changed_at < errata.now() - INTERVAL '1 day')`
    }
  })

  /** Removes copies that the queue or dead letters needed when their week was moved. The object has them too. */
  const removeCopies = Effect.repeat(
    Effect.map(
      sql`
        DELETE FROM errata.segments_default WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM errata.segments_default AS r
          WHERE EXISTS (
            SELECT FROM errata.archives AS a
            WHERE a.project_id = r.project_id AND a.week = r.id / 10000000000 AND a.state = 'live')
            AND ${Archives.notNeeded(sql)}
          LIMIT ${rowsTogether} FOR UPDATE SKIP LOCKED)) RETURNING 1`,
      (rows) => rows.length,
    ),
    { while: (removed) => removed > 0 },
  )

  /** Returns a project with segments of a week that are not in a finished object. Skips deleted projects. */
  const nextProject = (week: number) => {
    const next = (after: string) => sql`
      SELECT s.project_id FROM errata.segments AS s
      WHERE s.project_id > ${sql.literal(after)} AND s.id >= ${Weeks.firstIdOf(week)} AND s.id < ${Weeks.firstIdOf(week + 1)}
      ORDER BY s.project_id LIMIT 1`
    return Effect.map(
      sql`
        WITH RECURSIVE present AS (
          (${next("0")})
          UNION ALL
          SELECT following.project_id FROM present CROSS JOIN LATERAL (${next("present.project_id")}) AS following
        )
        SELECT present.project_id AS id
        FROM present JOIN errata.projects AS p ON p.id = present.project_id AND p.deleted_at IS NULL
        WHERE NOT EXISTS (
          SELECT FROM errata.archives AS a
          WHERE a.project_id = p.id AND a.week = ${week} AND a.state = 'written')
        LIMIT 1`,
      ([row]) => (row === undefined ? null : idRows.read(row).id),
    )
  }

  /** The next segments of a project's week, a few megabytes at a time, or a single larger one. */
  const segments = (projectId: number, week: number) => (after: number) =>
    Effect.map(
      sql`
        SELECT ${sql.literal(segmentRows.select())} FROM (
          SELECT s.*, sum(octet_length(s.body)) OVER (ORDER BY s.id) - octet_length(s.body) AS bytes_before
          FROM (
            SELECT id, index_bytes, block_bytes, dictionary_id, body FROM errata.segments
            WHERE project_id = ${projectId} AND id > ${Math.max(after, Weeks.firstIdOf(week) - 1)}
              AND id < ${Weeks.firstIdOf(week + 1)}
            ORDER BY id LIMIT ${rowsTogether}
          ) AS s
        ) AS s
        WHERE bytes_before < ${bytesTogether} ORDER BY id`,
      (rows): ReadonlyArray<ArchivedSegment> => rows.map(segmentRows.read),
    )

  const begin = (projectId: number, week: number) =>
    Effect.gen(function* () {
      const name = `${projectId}/${new Date(Weeks.startOf(week)).toISOString().slice(0, 10)}-${randomUUID()}`
      yield* sql`INSERT INTO errata.archives (project_id, week, name) VALUES (${projectId}, ${week}, ${name})`
      return name
    })

  /** Returns whether the attempt still belongs to this node. */
  const record = (name: string, written: ArchiveWriter.WrittenArchive) =>
    Effect.map(
      sql`
        UPDATE errata.archives
        SET state = 'written', changed_at = errata.now(), bytes = ${written.bytes},
          segments_count = ${written.segmentsCount},
          page_ids = ${`{${written.pageIds.join(",")}}`}::bigint[],
          page_offsets = ${`{${written.pageOffsets.join(",")}}`}::bigint[]
        WHERE name = ${name} AND state = 'writing' RETURNING 1`,
      (rows) => rows.length > 0,
    )

  const copy = Effect.fnUntraced(function* (projectId: number, week: number) {
    const name = yield* begin(projectId, week)
    yield* Archives.awaitDiscards(sql)
    const written = yield* ArchiveWriter.write(store, name, segments(projectId, week))
    return yield* record(name, written)
  })

  /** Makes the objects of a week live, and drops the week from the database. Null if the partition is in use. */
  const moveOnce = (week: number) =>
    sql.withTransaction(
      Effect.gen(function* () {
        // So that a node that took over the job does not give them up now.
        yield* sql`SELECT 1 FROM errata.archives WHERE week = ${week} AND state = 'written' ORDER BY name FOR UPDATE`
        if ((yield* nextProject(week)) !== null) return "unfinished"
        const [row] = yield* sql`SELECT errata.drop_partition('segments', ${week}::integer) AS bytes`
        const { bytes } = droppedRows.read(row!)
        if (bytes === null) return null
        // Retention removed the bodies in the meantime, and would not find them in the object.
        if (bytes === 0) yield* Archives.retire(sql, sql`week = ${week} AND state = 'written'`)
        // A node that lost the job may have written the same object.
        yield* sql`
          UPDATE errata.archives AS a SET state = 'live', changed_at = errata.now()
          WHERE a.week = ${week} AND a.state = 'written' AND NOT EXISTS (
            SELECT FROM errata.archives AS other
            WHERE other.project_id = a.project_id AND other.week = a.week
              AND (other.state = 'live' OR other.state = 'written' AND other.name < a.name))`
        yield* Archives.retire(sql, sql`week = ${week} AND state = 'written'`)
        return "moved"
      }),
    )

  const moveWeek = Effect.fnUntraced(function* (week: number) {
    let projectId = yield* nextProject(week)
    while (projectId !== null) {
      if (!(yield* copy(projectId, week))) return
      projectId = yield* nextProject(week)
    }
    // A long-running reader of the table delays the move to the next run, which reuses the objects.
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      if ((yield* moveOnce(week)) !== null) return
      yield* Effect.sleep("200 millis")
    }
    yield* Effect.annotateLogs(
      Effect.logInfo("Bodies stay in a partition that is in use until the next run"),
      {
        partition: Weeks.partitionOf("segments", week),
      },
    )
  })

  /** Makes the rows of archived reports smaller. Partitions that are in use wait for the next run. */
  const compact = (before: number) =>
    Effect.gen(function* () {
      for (const week of yield* Weeks.partitionsOf(sql, "reports")) {
        if (week < before) yield* compactIndex(week)
      }
      for (const first of yield* Weeks.partitionsOf(sql, "report_events")) {
        if (first + Weeks.spanOf("report_events") <= before) yield* EventPacks.packGeneration(sql, first)
      }
    })

  const compactOnce = (week: number) =>
    sql.withTransaction(
      Effect.gen(function* () {
        // Building the index of a large week takes longer than other statements may.
        yield* sql`SELECT set_config('statement_timeout', '0', true)`
        const [row] = yield* sql`SELECT errata.compact_index(${week}::integer) AS done`
        return doneRows.read(row!).done
      }),
    )

  const compactIndex = Effect.fnUntraced(function* (week: number) {
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      if (yield* compactOnce(week)) return
      yield* Effect.sleep("200 millis")
    }
  })

  return (keptWeeks: number | null) =>
    Effect.gen(function* () {
      yield* removeObjects
      if (keptWeeks === null) yield* Archives.retire(sql, sql`state = 'written'`)
      yield* removeCopies
      yield* ArchiveRewrite.run(sql, store, dictionaryOf, { begin, record })
      if (keptWeeks === null) return
      const open = yield* Weeks.openWeek(sql)
      for (const week of yield* Weeks.partitionsOf(sql, "segments")) {
        if (week < open - keptWeeks) yield* moveWeek(week)
      }
      yield* compact(open - keptWeeks)
    })
}

const rowsTogether = 1000
const bytesTogether = 4 * 1024 * 1024
const maxAttempts = 6

const nameRows = Rows.make({ name: text() })
const idRows = Rows.make({ id: int8() })
const doneRows = Rows.make({ done: boolean })
const droppedRows = Rows.make({ bytes: nullable(int8()) })
const segmentRows = Rows.make({
  id: int8(),
  indexBytes: int4(),
  blockBytes: int4(),
  dictionaryId: nullable(int8()),
  body: bytea,
})
