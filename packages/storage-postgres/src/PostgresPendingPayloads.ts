/**
 * The queue of payloads. Each write appends one segment per project and one narrow row per segment to the queue. The
 * cost of appending, leasing and removing depends on segments rather than payloads, and no body is written twice.
 *
 * Statements that lease and remove are planned each time. The queue is usually empty but long during bursts, and a plan
 * made for an empty queue degrades to a quadratic join.
 *
 * Rows are selected in MATERIALIZED common table expressions. PostgreSQL may execute a subquery with LIMIT and SKIP
 * LOCKED once per joined row, with a different result each time.
 */

import { type DeadLetter, Page, type ProjectId } from "@errata/core"
import { type BatchPart, type PendingBatch, PendingPayloads, type StoredPayload } from "@errata/core/ports"
import { Duration, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as Batch from "./internal/Batch.js"
import * as BucketAppend from "./internal/BucketAppend.js"
import * as Buckets from "./internal/Buckets.js"
import { byIndex } from "./internal/ByIndex.js"
import { unlessDamaged } from "./internal/Compression.js"
import { Dictionaries } from "./internal/Dictionaries.js"
import { named } from "./internal/PgStorageError.js"
import { interval, toDate } from "./internal/PgTime.js"
import * as Rows from "./internal/Rows.js"
import * as SegmentRow from "./internal/SegmentRow.js"
import * as Segments from "./internal/Segments.js"
import { int4, int8, integers, millis, nullable, text, time } from "./internal/SqlType.js"
import { RecentBlocks } from "./RecentBlocks.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const dictionaries = yield* Dictionaries
  const recent = (yield* RecentBlocks)()

  /** Not with buckets, because another server commits there. */
  const relaxed = () =>
    Buckets.of(sql).count
      ? sql``
      : sql`,
            -- The commit need not wait for the disk. If a crash loses the end of the log, the removal is lost too, and the
            -- payloads are recorded again.
            (SELECT set_config('synchronous_commit', 'off', true)) AS relaxed`

  /** Returns null if the segment is damaged. `recent` holds the recent blocks, whose rows have no body. */
  const blockOf = ({ body, segmentId, ...row }: LeasedRow, recent: ReadonlyMap<number, Uint8Array>) =>
    body === null
      ? Effect.succeed(recent.get(segmentId)!)
      : Effect.map(dictionaries.find(row.projectId, row.dictionaryId), (dictionary) =>
          unlessDamaged(() => Segments.blockOf({ ...row, body, dictionary })),
        )

  /** Returns leased rows as batches, oldest first, without those of damaged segments. */
  const leased = (found: ReadonlyArray<object>, blocks: ReadonlyMap<number, Uint8Array>) =>
    Effect.gen(function* () {
      const rows = found.map(batchRows.read)
      const batches: Array<PendingBatch> = []
      const damaged: Array<LeasedRow> = []
      for (const row of rows) {
        const block = yield* blockOf(row, blocks)
        if (block === null) damaged.push(row)
        else batches.push(batchOf(row, block))
      }
      recent.drop(rows.map(({ segmentId }) => segmentId))
      return { batches: batches.sort(byId), damaged }
    })

  /** They stay in the queue, in case their segments are restored. As suspects they are not in the way of others. */
  const makeSuspects = (rows: ReadonlyArray<LeasedRow>) =>
    Effect.andThen(
      sql`
        UPDATE errata.pending_batches AS b SET suspect = true
        FROM ${places.rows(sql, rows)} WHERE b.project_id = c.project_id AND b.id = c.id`,
      Effect.forEach(rows, ({ projectId, segmentId }) =>
        Effect.logError("Accepted events stay in the queue, because their segment is damaged").pipe(
          Effect.annotateLogs({ project: projectId, segment: segmentId }),
        ),
      ),
    )

  /** Inserts all segments, or none if the database does not have one of their dictionaries in this week. */
  const insert = (segments: ReadonlyArray<Segments.Segment>) => {
    const { bodies, written } = joined(segments)
    return Effect.map(
      sql`/* prepared */
        WITH unknown AS (
          SELECT FROM ${SegmentRow.dictionaries.rows(sql, segments)}
          WHERE ${sql.literal(BucketAppend.isUnknown("errata.week_of(errata.now())"))}
        ),
        stored AS (
          INSERT INTO errata.segments (${sql.literal(SegmentRow.columns)}, body)
          SELECT ${sql.literal(SegmentRow.values)}, substring(b.bytes FROM c.start FOR c.length)
          FROM ${SegmentRow.inserted.rows(sql, written)}
          CROSS JOIN (SELECT ${bodies}::bytea AS bytes) AS b
          WHERE NOT EXISTS (SELECT FROM unknown)
          ORDER BY c.position
          RETURNING project_id, id, payloads_count, bytes
        )
        INSERT INTO errata.pending_batches (project_id, segment_id, payloads_count, bytes)
        SELECT project_id, id, payloads_count, bytes FROM stored
        RETURNING segment_id`,
      (rows) => rows.map((row, i) => ({ ...appendedRows.read(row), block: segments[i]!.block })),
    )
  }

  const insertIntoBuckets = (segments: ReadonlyArray<Segments.Segment>, count: number) =>
    Effect.gen(function* () {
      const buckets = segments.map(({ projectId }) => Buckets.bucketOf(projectId, count))
      const ids = yield* BucketAppend.newIds(sql, buckets)
      const rows = segments.map((segment, i) => ({ ...BucketAppend.newRows.read(ids[i]!), segment }))
      const append = (own: ReadonlyArray<(typeof rows)[number]>) => {
        const { bodies, written } = joined(own.map(({ segment }) => segment))
        return BucketAppend.append(
          sql,
          written.map((each, i) => ({ ...own[i]!, ...each })),
          bodies,
        )
      }
      yield* Buckets.inSome(
        sql,
        Map.groupBy(rows, (_, i) => buckets[i]!),
        (own) =>
          Effect.gen(function* () {
            if (yield* append(own)) return
            dictionaries.forget(own.map(({ segment }) => segment))
            yield* append(own.map((row) => ({ ...row, segment: Segments.withoutDictionary(row.segment) })))
          }),
      )
      return rows.map(({ segment, segmentId }) => ({ segmentId, block: segment.block }))
    })

  const insertHere = (segments: ReadonlyArray<Segments.Segment>) =>
    Effect.flatMap(insert(segments), (rows) => {
      if (rows.length > 0) return Effect.succeed(rows)
      dictionaries.forget(segments)
      return insert(segments.map(Segments.withoutDictionary))
    })

  return PendingPayloads.of({
    append: (payloads) => {
      if (payloads.length === 0) return Effect.void
      const segments = Segments.pack(payloads, dictionaries.current)
      const { count } = Buckets.of(sql)
      const appended = count ? insertIntoBuckets(segments, count) : insertHere(segments)
      return Effect.map(appended, (blocks) => {
        // If the transaction rolls back, the blocks stay unused.
        recent.keep(blocks)
        dictionaries.appended(segments)
      }).pipe(named("PendingPayloads.append"))
    },

    lease: ({ payloads, bytes, duration }) =>
      Effect.suspend(() => {
        const blocks = recent.snapshot()
        return sql`
          WITH free AS MATERIALIZED (
            SELECT project_id, id, payloads_count, bytes FROM errata.pending_batches
            WHERE NOT suspect AND (claimed_until IS NULL OR claimed_until <= errata.now())
            ORDER BY id LIMIT ${Math.min(payloads, maxLeasedBatches)} FOR NO KEY UPDATE SKIP LOCKED
          ),
          counted AS (
            SELECT project_id, id,
              sum(payloads_count) OVER (ORDER BY id) - payloads_count AS payloads_before,
              sum(bytes) OVER (ORDER BY id) - bytes AS bytes_before
            FROM free
          ),
          chosen AS (
            UPDATE errata.pending_batches AS b
            SET claimed_until = errata.now() + ${interval(duration)}::interval, attempts = b.attempts + 1
            FROM counted AS c
            WHERE b.project_id = c.project_id AND b.id = c.id
              AND c.payloads_before < ${payloads} AND c.bytes_before < ${bytes}
            RETURNING b.*
          )
          SELECT ${sql.literal(columnsUnlessKnown)}
          FROM chosen AS b
          CROSS JOIN LATERAL (
            SELECT * FROM errata.segments AS s WHERE s.project_id = b.project_id AND s.id = b.segment_id LIMIT 1
          ) AS s
          CROSS JOIN (SELECT ${[...blocks.keys()]}::bigint[] AS ids) AS known`.pipe(
          Effect.flatMap((rows) => leased(rows, blocks)),
          Effect.tap(({ damaged }) => (damaged.length === 0 ? Effect.void : makeSuspects(damaged))),
          Effect.map(({ batches }) => batches),
        )
      }).pipe(named("PendingPayloads.lease")),

    renew: (batches, duration) =>
      // Skips locked batches: their lease holder is removing them.
      sql`
        UPDATE errata.pending_batches AS b SET claimed_until = errata.now() + ${interval(duration)}::interval
        FROM (
          SELECT p.project_id, p.id FROM errata.pending_batches AS p
          JOIN ${leases.rows(sql, batches)}
            ON p.project_id = c.project_id AND p.id = c.id AND p.attempts = c.attempts
          FOR NO KEY UPDATE OF p SKIP LOCKED
        ) AS held
        WHERE b.project_id = held.project_id AND b.id = held.id`.pipe(
        Effect.asVoid,
        named("PendingPayloads.renew"),
      ),

    isolate: (payloads) =>
      sql`
        INSERT INTO errata.pending_batches (${sql.literal(isolated.columns)}, payloads_count, suspect)
        SELECT ${sql.literal(isolated.values)}, 1, true FROM ${isolated.rows(sql, payloads)}`.pipe(
        Effect.asVoid,
        named("PendingPayloads.isolate"),
      ),

    leaseSuspect: (pauses) =>
      sql`
        WITH due AS MATERIALIZED (
          SELECT project_id, id,
            errata.now() + INTERVAL '1 millisecond'
              * (${pauses.map(Duration.toMillis)}::bigint[])[least(attempts + 1, ${pauses.length})] AS until
          FROM errata.pending_batches
          WHERE suspect AND (claimed_until IS NULL OR claimed_until <= errata.now())
          ORDER BY claimed_until NULLS FIRST, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
        ),
        chosen AS (
          UPDATE errata.pending_batches AS b
          SET attempts = b.attempts + 1, claimed_until = c.until
          FROM due AS c
          WHERE b.project_id = c.project_id AND b.id = c.id
          RETURNING b.*
        )
        SELECT ${sql.literal(allColumns)}
        FROM chosen AS b
        CROSS JOIN LATERAL (
          SELECT * FROM errata.segments AS s WHERE s.project_id = b.project_id AND s.id = b.segment_id LIMIT 1
        ) AS s`.pipe(
        Effect.flatMap((rows) => leased(rows, new Map())),
        Effect.map(({ batches: [batch] }) => Option.fromNullishOr(batch)),
        named("PendingPayloads.leaseSuspect"),
      ),

    remove: Effect.fnUntraced(function* (parts: ReadonlyArray<BatchPart>) {
      const whole: Array<BatchPart> = []
      const some: Array<BatchPart> = []
      for (const part of parts) (part.whole ? whole : some).push(part)
      if (whole.length > 0) {
        // Returns false if parts of a batch are gone: the worker's lease has expired unnoticed.
        const gone = yield* sql`
            DELETE FROM errata.pending_batches AS b
            USING ${removed.rows(sql, whole)}${relaxed()}
            WHERE b.project_id = c.project_id AND b.id = c.id
              AND b.payloads_count - cardinality(b.done) = c.remaining
            RETURNING b.id`
        if (gone.length < whole.length) return false
      }
      for (const { batchId, bytes, positions, projectId } of some) {
        const marked = yield* sql`
            UPDATE errata.pending_batches SET done = done || ${positions}::integer[], bytes = bytes - ${bytes}
            WHERE project_id = ${projectId} AND id = ${batchId} AND NOT done && ${positions}::integer[] RETURNING id`
        if (marked.length === 0) return false
        yield* sql`
            DELETE FROM errata.pending_batches
            WHERE project_id = ${projectId} AND id = ${batchId} AND cardinality(done) >= payloads_count`
      }
      return true
    }, named("PendingPayloads.remove")),

    release: (batches) =>
      sql`
        UPDATE errata.pending_batches AS b SET claimed_until = NULL, attempts = greatest(attempts - 1, 0)
        FROM ${places.rows(sql, batches)} WHERE b.project_id = c.project_id AND b.id = c.id`.pipe(
        Effect.asVoid,
        named("PendingPayloads.release"),
      ),

    postpone: (batches, duration) =>
      sql`
        UPDATE errata.pending_batches AS b
        SET claimed_until = errata.now() + ${interval(duration)}::interval, attempts = 0,
          ready_at = errata.now() + ${interval(duration)}::interval
        FROM ${places.rows(sql, batches)} WHERE b.project_id = c.project_id AND b.id = c.id`.pipe(
        Effect.asVoid,
        named("PendingPayloads.postpone"),
      ),

    addDeadLetters: (payloads, bounds, now) =>
      Effect.gen(function* () {
        if (payloads.length === 0) return []
        const projectIds = [...new Set(payloads.map(({ payload }) => payload.projectId))]
        const { ids } = yield* Buckets.nextIds(sql, "dead_letters", payloads.length)
        yield* sql`
          INSERT INTO errata.dead_letters (id, ${sql.literal(deadLetters.columns)}, failed_at) OVERRIDING SYSTEM VALUE
          SELECT (${ids}::bigint[])[c.ordinality], ${sql.literal(deadLetters.values)}, ${toDate(now)}
          FROM ${deadLetters.rows(sql, payloads)}${Buckets.here(sql)}`
        yield* sql`
          DELETE FROM errata.dead_letters AS s
          USING (
            SELECT project_id, id, row_number() OVER newest AS place, sum(bytes) OVER newest AS bytes
            FROM errata.dead_letters WHERE project_id = ANY (${projectIds}::bigint[])
            WINDOW newest AS (PARTITION BY project_id ORDER BY id DESC)
          ) AS kept
          WHERE s.project_id = kept.project_id AND s.id = kept.id
            AND (kept.place > ${bounds.payloads} OR kept.bytes > ${bounds.bytes})`
        return ids
      }).pipe(named("PendingPayloads.addDeadLetters")),

    expireDeadLetters: (before, limit) =>
      sql`
        WITH old AS MATERIALIZED (
          SELECT project_id, id FROM errata.dead_letters WHERE failed_at < ${toDate(before)}
          ORDER BY failed_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
        )
        DELETE FROM errata.dead_letters AS s USING old
        WHERE s.project_id = old.project_id AND s.id = old.id
        RETURNING s.id`.pipe(
        Effect.map((rows) => rows.length),
        byIndex(sql),
        named("PendingPayloads.expireDeadLetters"),
      ),

    deadLettersSize: sql`
      SELECT count(*)::bigint AS payloads, coalesce(sum(bytes), 0)::bigint AS bytes
      FROM errata.dead_letters`.pipe(
      Effect.map(([row]) => sizeRows.read(row!)),
      named("PendingPayloads.deadLettersSize"),
    ),

    retryDeadLetter: (id) =>
      sql`
        WITH found AS (
          DELETE FROM errata.dead_letters WHERE id = ${id}
          RETURNING project_id, segment_id, position, bytes
        )
        INSERT INTO errata.pending_batches (project_id, segment_id, position, payloads_count, bytes, suspect)
        SELECT project_id, segment_id, position, 1, bytes, true FROM found
        RETURNING id`.pipe(
        Effect.map((rows) => rows.length > 0),
        named("PendingPayloads.retryDeadLetter"),
      ),

    discardDeadLetter: (id) =>
      sql`DELETE FROM errata.dead_letters WHERE id = ${id} RETURNING id`.pipe(
        Effect.map((rows) => rows.length > 0),
        named("PendingPayloads.discardDeadLetter"),
      ),

    listDeadLetters: (page) =>
      sql`
        SELECT ${sql.literal(deadLetterRows.select())} FROM errata.dead_letters
        WHERE id < ${page.cursor ?? Number.MAX_SAFE_INTEGER} ORDER BY id DESC LIMIT ${page.limit + 1}`.pipe(
        Effect.map((rows) => Page.fromRows(rows.map(toDeadLetter), page)),
        named("PendingPayloads.listDeadLetters"),
      ),

    size: sql`
      SELECT coalesce(sum(payloads_count - cardinality(done)), 0)::bigint AS payloads,
        coalesce(sum(bytes), 0)::bigint AS bytes
      FROM errata.pending_batches`.pipe(
      Effect.map(([row]) => sizeRows.read(row!)),
      named("PendingPayloads.size"),
    ),
  })
})

export const layer = Layer.effect(PendingPayloads, make)

// internal

/** Limits the number of locked batches: LIMIT applies before payloads are counted. */
const maxLeasedBatches = 400

/** Concatenates the bodies of segments. */
const joined = (segments: ReadonlyArray<Segments.Segment>) => {
  let end = 1
  const written = segments.map((segment): SegmentRow.NewSegment => {
    const start = end
    end += segment.stored.byteLength
    return { segment, start }
  })
  return { written, bodies: Buffer.concat(segments.map(({ stored }) => stored)) }
}

const appendedRows = Rows.make({ segmentId: int8() })
const sizeRows = Rows.make({ payloads: int8(), bytes: int8() })

const batch = {
  id: int8(),
  projectId: int8<ProjectId>(),
  segmentId: int8(),
  /** Position of the single payload of the batch, or null for the whole segment. */
  position: nullable(int4()),
  attempts: int4(),
  done: integers(),
  indexBytes: SegmentRow.stored.indexBytes,
  blockBytes: SegmentRow.stored.blockBytes,
  dictionaryId: SegmentRow.stored.dictionaryId,
  /** Null if the block is among the recent ones. */
  body: nullable(SegmentRow.stored.body),
}

const batchRows = Rows.make(batch)
type LeasedRow = Rows.RowOf<typeof batch>

/** Columns with the segment as `s`. `body` is the expression for its body. */
const batchColumns = (body: string) => batchRows.select("b", { ...SegmentRow.joinedColumns, body })

const allColumns = batchColumns("s.body")
const columnsUnlessKnown = batchColumns("CASE WHEN s.id = ANY (known.ids) THEN NULL ELSE s.body END")

const batchOf = (row: LeasedRow, block: Uint8Array): PendingBatch => {
  const { attempts, done, id, projectId, segmentId } = row
  const all = Segments.unpack(block, row)
  const payloads: Array<StoredPayload> = []
  for (let position = 0; position < all.length; position++) {
    if ((row.position !== null && row.position !== position) || done.includes(position)) continue
    payloads.push({ place: { segmentId, position }, payload: all[position]! })
  }
  return { id, attempts, projectId, payloads }
}

const byId = (self: PendingBatch, that: PendingBatch): number => self.id - that.id

const places = Batch.ofFields<Pick<PendingBatch, "projectId" | "id">>({ projectId: int8(), id: int8() })
const leases = Batch.ofFields<PendingBatch>({ projectId: int8(), id: int8(), attempts: int4() })

const ofPart = Rows.writtenFrom<BatchPart>().once

const removed = Batch.make<BatchPart>({
  projectId: ofPart(int8(), (part) => part.projectId),
  id: ofPart(int8(), (part) => part.batchId),
  remaining: ofPart(int4(), (part) => part.positions.length),
})

const ofStored = Rows.writtenFrom<StoredPayload>().once

/** Columns that the queue and the dead letters share. */
const stored = {
  projectId: ofStored(int8<ProjectId>(), ({ payload }) => payload.projectId),
  segmentId: ofStored(int8(), ({ place }) => place.segmentId),
  position: ofStored(int4(), ({ place }) => place.position),
  bytes: ofStored(int4(), ({ payload }) => payload.body.byteLength),
}

const isolated = Batch.make<StoredPayload>(stored)

const ofDeadLetter = Rows.writtenFrom<NewDeadLetter>().once

type NewDeadLetter = StoredPayload & { readonly reason: string }

const deadLetterColumns = {
  id: int8(),
  ...stored,
  eventId: ofDeadLetter(text(), ({ payload }) => payload.eventId),
  kind: ofDeadLetter(text(), ({ payload }) => payload.kind),
  receivedAt: ofDeadLetter(millis, ({ payload }) => payload.receivedAt),
  // Remove characters that a text column cannot store.
  reason: ofDeadLetter(text(), ({ reason }) => reason.replaceAll("\0", "").toWellFormed()),
  failedAt: time,
}

const deadLetters = Batch.make<NewDeadLetter>(deadLetterColumns, "ordinality")
const deadLetterRows = Rows.make(deadLetterColumns)

const toDeadLetter = (row: object): DeadLetter => {
  const { position, segmentId, ...payload } = deadLetterRows.read(row)
  return { ...payload, place: { segmentId, position } }
}
