/** Rewrites objects without bodies that discards removed, at most once a day per object. */
import type { ProjectId } from "@errata/core"
import type { ObjectStoreService } from "@errata/core/ports"
import { Data, Effect, Option, Result } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import {
  type ArchivedSegment,
  type ArchiveRecord,
  decode,
  pageRecords,
  recordBytes,
  segmentOf,
} from "./ArchiveIndex.js"
import * as ArchiveWriter from "./ArchiveWriter.js"
import type { Bodies } from "./Bodies.js"
import { unlessDamaged } from "./Compression.js"
import * as Rows from "./Rows.js"
import * as Segments from "./Segments.js"
import { int4, int8, integers, text } from "./SqlType.js"
import * as Weeks from "./Weeks.js"

type DictionaryOf = Bodies["dictionaryOf"]

/** Records attempts like the archiving job. */
interface Attempts {
  readonly begin: (projectId: number, week: number) => Effect.Effect<string, SqlError>
  readonly record: (name: string, written: ArchiveWriter.WrittenArchive) => Effect.Effect<boolean, SqlError>
}

/** Rewrites due objects. Unreadable objects and their removals stay unchanged. */
export const run = (
  sql: SqlClient.SqlClient,
  store: ObjectStoreService,
  dictionaryOf: DictionaryOf,
  attempts: Attempts,
) =>
  Effect.gen(function* () {
    const due = yield* sql`
      SELECT ${sql.literal(archiveRows.select("a"))} FROM errata.archives AS a
      WHERE a.state = 'live' AND EXISTS (
        SELECT FROM errata.archive_removals AS r
        WHERE r.project_id = a.project_id AND r.segment_id >= errata.first_id(a.week)
          AND r.segment_id < errata.first_id(a.week + 1) AND r.created_at < errata.now() - INTERVAL '1 day')`
    for (const row of due) {
      const archive = archiveRows.read(row)
      yield* rewrite(sql, store, dictionaryOf, attempts, archive).pipe(
        Effect.catchTag("Unreadable", () =>
          Effect.annotateLogs(Effect.logError("Discarded bodies stay in an object that cannot be read"), {
            object: archive.name,
          }),
        ),
      )
    }
  })

// internal

/** An object that is missing or damaged. */
class Unreadable extends Data.TaggedError("Unreadable") {}

const archiveRows = Rows.make({
  projectId: int8<ProjectId>(),
  week: int4(),
  name: text(),
  segmentsCount: int4(),
  pageOffsets: integers(),
})
type Archive = ReturnType<typeof archiveRows.read>

const removalRows = Rows.make({ segmentId: int8(), positions: integers() })

const rewrite = (
  sql: SqlClient.SqlClient,
  store: ObjectStoreService,
  dictionaryOf: DictionaryOf,
  { begin, record }: Attempts,
  archive: Archive,
) =>
  Effect.gen(function* () {
    const { name: old, projectId, week } = archive
    const rows = yield* sql`
      SELECT segment_id, positions FROM errata.archive_removals
      WHERE project_id = ${projectId} AND segment_id >= ${Weeks.firstIdOf(week)}
        AND segment_id < ${Weeks.firstIdOf(week + 1)}`
    const removals = rows.map(removalRows.read)
    const name = yield* begin(projectId, week)
    const next = segmentsOf(
      store,
      dictionaryOf,
      archive,
      new Map(removals.map(({ positions, segmentId }) => [segmentId, new Set(positions)])),
    )
    if (!(yield* record(name, yield* ArchiveWriter.write(store, name, next)))) return
    yield* sql.withTransaction(
      Effect.gen(function* () {
        // A node that took over the job, while this one was paused, has given up the new object.
        const isOwn =
          yield* sql`SELECT 1 FROM errata.archives WHERE name = ${name} AND state = 'written' FOR UPDATE`
        if (isOwn.length === 0) return
        const replaced = yield* sql`
          UPDATE errata.archives SET state = 'removing', changed_at = errata.now()
          WHERE name = ${old} AND state = 'live' RETURNING 1`
        // Retention, the purge of the project or another node took the object away in the meantime.
        const state = replaced.length > 0 ? "live" : "abandoned"
        yield* sql`UPDATE errata.archives SET state = ${state}, changed_at = errata.now() WHERE name = ${name}`
        // Another node may have replaced the object by one that still has these bodies.
        if (state === "abandoned") return
        // Other bodies of a segment may have been removed since.
        for (const { positions, segmentId } of removals) {
          yield* sql`
            DELETE FROM errata.archive_removals
            WHERE project_id = ${projectId} AND segment_id = ${segmentId}
              AND positions = ${positions}::integer[]`
        }
      }),
    )
  })

/** The segments of an object after an id, about one page at a time, limited to a few megabytes. */
const segmentsOf = (
  store: ObjectStoreService,
  dictionaryOf: DictionaryOf,
  { name, pageOffsets, projectId, segmentsCount }: Archive,
  removals: ReadonlyMap<number, ReadonlySet<number>>,
) => {
  let page = 0
  let waiting: ReadonlyArray<ArchiveRecord> = []

  const bytesAt = (offset: number, length: number) =>
    Effect.flatMap(store.read(name, offset, length), (read) =>
      Effect.fromOption(
        Option.filter(read, ({ byteLength }) => byteLength === length),
        () => new Unreadable(),
      ),
    )

  const without = Effect.fnUntraced(function* (segment: ArchivedSegment) {
    const positions = removals.get(segment.id)
    if (positions === undefined) return segment
    const dictionary = yield* dictionaryOf(projectId, segment.dictionaryId)
    // Retention may have removed it together with the object.
    if (Result.isFailure(dictionary)) return yield* new Unreadable()
    const stored = { ...segment, projectId, dictionary: dictionary.success }
    const emptied = unlessDamaged(() => Segments.emptied(stored, positions))
    if (emptied === null) return yield* new Unreadable()
    const { block, indexBytes, stored: body } = emptied
    return { id: segment.id, indexBytes, blockBytes: block.byteLength, dictionaryId: null, body }
  })

  return () =>
    Effect.gen(function* () {
      if (waiting.length === 0) {
        if (page === pageOffsets.length) return []
        const records = Math.min(pageRecords, segmentsCount - page * pageRecords)
        waiting = decode(yield* bytesAt(pageOffsets[page]!, records * recordBytes))
        page++
      }
      const [first] = waiting
      const end = waiting.findIndex(({ length, offset }) => offset + length - first!.offset > bytesTogether)
      const together = waiting.slice(0, end === -1 ? waiting.length : Math.max(end, 1))
      waiting = waiting.slice(together.length)
      const last = together.at(-1)!
      const bytes = yield* bytesAt(first!.offset, last.offset + last.length - first!.offset)
      const segments: Array<ArchivedSegment> = []
      for (const record of together) {
        const start = record.offset - first!.offset
        const segment = segmentOf(record, bytes.subarray(start, start + record.length))
        if (segment === null) return yield* new Unreadable()
        segments.push(yield* without(segment))
      }
      return segments
    })
}

const bytesTogether = 4 * 1024 * 1024
