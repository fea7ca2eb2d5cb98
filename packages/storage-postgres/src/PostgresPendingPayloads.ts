/**
 * The queue of payloads. What one write appends is a segment a project, and a narrow row in the queue for each. So
 * appending, leasing and removing cost per segment and not per payload, and no body is written or copied a second time.
 *
 * Rows are chosen in common table expressions of their own (MATERIALIZED): a subquery with a limit that skips what is
 * locked may be executed once for each row that it is joined with, and give another row each time.
 */

import { SqlClient } from "@effect/sql"
import {
  Page,
  type Payload,
  type PendingBatch,
  PendingPayloads,
  type ProjectId,
  type SetAsidePayload,
} from "@errata/core"
import { Effect, Layer, Option } from "effect"
import * as PgLiteral from "./internal/PgLiteral.js"
import { named } from "./internal/PgStorageError.js"
import { interval, toDate, toUtc } from "./internal/PgTime.js"
import * as Segments from "./internal/Segments.js"
import { RecentBlocks } from "./RecentBlocks.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const recent = (yield* RecentBlocks)()

  /** Leased rows as batches, oldest first. `blocks` are those that need not be read. */
  const leased = (rows: ReadonlyArray<BatchRow>, blocks: ReadonlyMap<number, Uint8Array>) => {
    recent.drop(rows.map((row) => row.segment_id))
    return rows
      .map((row) => {
        const { body } = row
        return batchOf(row, body === null ? blocks.get(row.segment_id)! : Segments.blockOf({ ...row, body }))
      })
      .sort((self, that) => self.id - that.id)
  }

  /** The rows of batches, for statements that change them. */
  const these = (batches: ReadonlyArray<Pick<PendingBatch, "id" | "projectId">>) => sql`
    unnest(
      ${PgLiteral.numbers(batches.map((batch) => batch.projectId))}::bigint[],
      ${PgLiteral.numbers(batches.map((batch) => batch.id))}::bigint[]
    ) AS c (project_id, id)`

  return PendingPayloads.of({
    append: (payloads) => {
      if (payloads.length === 0) return Effect.void
      const segments = Segments.pack(payloads)
      const bytes = Buffer.concat(segments.map(({ stored }) => stored))
      let end = 1
      const starts = segments.map(({ stored }) => {
        const start = end
        end += stored.byteLength
        return start
      })
      return sql<{ readonly segment_id: number }>`/* prepared */
        WITH stored AS (
          INSERT INTO errata.segments
            (project_id, payloads_count, bytes, index_bytes, block_bytes, body)
          SELECT c.project_id, c.payloads_count, c.bytes, c.index_bytes, c.block_bytes,
            substring(b.bytes FROM c.start FOR c.length)
          FROM unnest(
            ${PgLiteral.numbers(segments.map((segment) => segment.projectId))}::bigint[],
            ${PgLiteral.numbers(segments.map((segment) => segment.payloadsCount))}::integer[],
            ${PgLiteral.numbers(segments.map((segment) => segment.bytes))}::integer[],
            ${PgLiteral.numbers(segments.map((segment) => segment.indexBytes))}::integer[],
            ${PgLiteral.numbers(segments.map((segment) => segment.block.byteLength))}::integer[],
            ${PgLiteral.numbers(starts)}::integer[],
            ${PgLiteral.numbers(segments.map((segment) => segment.stored.byteLength))}::integer[]
          ) WITH ORDINALITY AS c (project_id, payloads_count, bytes, index_bytes, block_bytes, start, length, position)
          CROSS JOIN (SELECT ${bytes}::bytea AS bytes) AS b
          ORDER BY c.position
          RETURNING project_id, id, payloads_count, bytes
        )
        INSERT INTO errata.pending_batches (project_id, segment_id, payloads_count, bytes)
        SELECT project_id, id, payloads_count, bytes FROM stored
        RETURNING segment_id`.pipe(
        // In a transaction it may be undone yet; then it is a block that nobody will ask for.
        Effect.map((rows) =>
          recent.keep(rows.map((row, i) => ({ segmentId: row.segment_id, block: segments[i]!.block }))),
        ),
        named("PendingPayloads.append"),
      )
    },

    lease: ({ payloads, bytes, duration }) =>
      Effect.suspend(() => {
        const blocks = recent.snapshot()
        return sql<BatchRow>`/* prepared */
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
          SELECT ${sql.literal(batchColumns)},
            CASE WHEN s.id = ANY (${PgLiteral.numbers([...blocks.keys()])}::bigint[]) THEN NULL ELSE s.body END AS body
          FROM chosen AS b
          CROSS JOIN LATERAL (
            SELECT * FROM errata.segments AS s WHERE s.project_id = b.project_id AND s.id = b.segment_id LIMIT 1
          ) AS s`.pipe(Effect.map((rows) => leased(rows, blocks)))
      }).pipe(named("PendingPayloads.lease")),

    renew: (batches, duration) =>
      // Not those that are just being removed: whoever does so holds them already.
      sql`
        UPDATE errata.pending_batches AS b SET claimed_until = errata.now() + ${interval(duration)}::interval
        FROM (
          SELECT p.project_id, p.id FROM errata.pending_batches AS p
          JOIN unnest(
            ${PgLiteral.numbers(batches.map((batch) => batch.projectId))}::bigint[],
            ${PgLiteral.numbers(batches.map((batch) => batch.id))}::bigint[],
            ${PgLiteral.numbers(batches.map((batch) => batch.attempts))}::integer[]
          ) AS c (project_id, id, attempts)
            ON p.project_id = c.project_id AND p.id = c.id AND p.attempts = c.attempts
          FOR NO KEY UPDATE OF p SKIP LOCKED
        ) AS held
        WHERE b.project_id = held.project_id AND b.id = held.id`.pipe(
        Effect.asVoid,
        named("PendingPayloads.renew"),
      ),

    isolate: (payloads) =>
      sql`
        INSERT INTO errata.pending_batches (project_id, segment_id, position, payloads_count, bytes, suspect)
        SELECT project_id, segment_id, position, 1, bytes, true FROM unnest(
          ${PgLiteral.numbers(payloads.map(({ payload }) => payload.projectId))}::bigint[],
          ${PgLiteral.numbers(payloads.map(({ place }) => place.segmentId))}::bigint[],
          ${PgLiteral.numbers(payloads.map(({ place }) => place.position))}::integer[],
          ${PgLiteral.numbers(payloads.map(({ payload }) => payload.body.byteLength))}::integer[]
        ) AS c (project_id, segment_id, position, bytes)`.pipe(
        Effect.asVoid,
        named("PendingPayloads.isolate"),
      ),

    leaseSuspect: ({ first, longest }) =>
      sql<BatchRow>`
        WITH due AS MATERIALIZED (
          SELECT project_id, id FROM errata.pending_batches
          WHERE suspect AND (claimed_until IS NULL OR claimed_until <= errata.now())
          ORDER BY claimed_until NULLS FIRST, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
        ),
        chosen AS (
          UPDATE errata.pending_batches AS b
          SET attempts = b.attempts + 1,
            claimed_until = errata.now()
              + least(${interval(first)}::interval * power(4, least(b.attempts, 20)), ${interval(longest)}::interval)
          FROM due AS c
          WHERE b.project_id = c.project_id AND b.id = c.id
          RETURNING b.*
        )
        SELECT ${sql.literal(batchColumns)}, s.body
        FROM chosen AS b
        CROSS JOIN LATERAL (
          SELECT * FROM errata.segments AS s WHERE s.project_id = b.project_id AND s.id = b.segment_id LIMIT 1
        ) AS s`.pipe(
        Effect.map((rows) => Option.fromNullable(leased(rows, new Map())[0])),
        named("PendingPayloads.leaseSuspect"),
      ),

    remove: (parts) =>
      Effect.gen(function* () {
        const whole = parts.filter((part) => part.whole)
        const some = parts.filter((part) => !part.whole)
        if (whole.length > 0) {
          // Not if parts of a batch are gone: then it is whole only to a worker whose lease ran out before.
          const gone = yield* sql`/* prepared */
            DELETE FROM errata.pending_batches AS b
            USING unnest(
              ${PgLiteral.numbers(whole.map((part) => part.projectId))}::bigint[],
              ${PgLiteral.numbers(whole.map((part) => part.batchId))}::bigint[],
              ${PgLiteral.numbers(whole.map((part) => part.positions.length))}::integer[]
            ) AS c (project_id, id, remaining),
            -- Not worth a wait for the disk: if the end of the log is lost with the server, so is this removal, and
            -- what was recorded is recorded again from the queue.
            (SELECT set_config('synchronous_commit', 'off', true)) AS relaxed
            WHERE b.project_id = c.project_id AND b.id = c.id
              AND b.payloads_count - cardinality(b.done) = c.remaining
            RETURNING b.id`
          if (gone.length < whole.length) return false
        }
        for (const { batchId, positions, projectId } of some) {
          const done = PgLiteral.numbers(positions)
          const marked = yield* sql`
            UPDATE errata.pending_batches SET done = done || ${done}::integer[]
            WHERE project_id = ${projectId} AND id = ${batchId} AND NOT done && ${done}::integer[] RETURNING id`
          if (marked.length === 0) return false
          yield* sql`
            DELETE FROM errata.pending_batches
            WHERE project_id = ${projectId} AND id = ${batchId} AND cardinality(done) >= payloads_count`
        }
        return true
      }).pipe(named("PendingPayloads.remove")),

    release: (batches) =>
      sql`
        UPDATE errata.pending_batches AS b SET claimed_until = NULL, attempts = greatest(attempts - 1, 0)
        FROM ${these(batches)} WHERE b.project_id = c.project_id AND b.id = c.id`.pipe(
        Effect.asVoid,
        named("PendingPayloads.release"),
      ),

    postpone: (batches, duration) =>
      sql`
        UPDATE errata.pending_batches AS b
        SET claimed_until = errata.now() + ${interval(duration)}::interval, attempts = 0
        FROM ${these(batches)} WHERE b.project_id = c.project_id AND b.id = c.id`.pipe(
        Effect.asVoid,
        named("PendingPayloads.postpone"),
      ),

    setAside: (payloads, bounds, now) =>
      Effect.gen(function* () {
        if (payloads.length === 0) return []
        const projectIds = PgLiteral.numbers(payloads.map(({ payload }) => payload.projectId))
        const rows = yield* sql<{ readonly id: number }>`
          INSERT INTO errata.set_aside_payloads (project_id, segment_id, position, event_id, kind, received_at, bytes,
            reason, set_aside_at)
          SELECT project_id, segment_id, position, event_id, kind, to_timestamp(received_at / 1000), bytes, reason,
            ${toDate(now)}
          FROM unnest(
            ${projectIds}::bigint[],
            ${PgLiteral.numbers(payloads.map(({ place }) => place.segmentId))}::bigint[],
            ${PgLiteral.numbers(payloads.map(({ place }) => place.position))}::integer[],
            ${PgLiteral.texts(payloads.map(({ payload }) => payload.eventId))}::text[],
            ${PgLiteral.texts(payloads.map(({ payload }) => payload.kind))}::text[],
            ${PgLiteral.numbers(payloads.map(({ payload }) => payload.receivedAt))}::float8[],
            ${PgLiteral.numbers(payloads.map(({ payload }) => payload.body.byteLength))}::integer[],
            -- The driver's words may hold what the column cannot.
            ${PgLiteral.texts(payloads.map(({ reason }) => reason.replaceAll("\0", "").toWellFormed()))}::text[]
          ) WITH ORDINALITY
            AS c (project_id, segment_id, position, event_id, kind, received_at, bytes, reason, ordinality)
          ORDER BY ordinality
          RETURNING id`
        yield* sql`
          DELETE FROM errata.set_aside_payloads AS s
          USING (
            SELECT project_id, id, row_number() OVER newest AS place, sum(bytes) OVER newest AS bytes
            FROM errata.set_aside_payloads WHERE project_id = ANY (${projectIds}::bigint[])
            WINDOW newest AS (PARTITION BY project_id ORDER BY id DESC)
          ) AS kept
          WHERE s.project_id = kept.project_id AND s.id = kept.id
            AND (kept.place > ${bounds.payloads} OR kept.bytes > ${bounds.bytes})`
        return rows.map((row) => row.id)
      }).pipe(named("PendingPayloads.setAside")),

    expireSetAside: (before, limit) =>
      sql`
        WITH old AS MATERIALIZED (
          SELECT project_id, id FROM errata.set_aside_payloads WHERE set_aside_at < ${toDate(before)}
          ORDER BY set_aside_at, id LIMIT ${limit} FOR UPDATE SKIP LOCKED
        )
        DELETE FROM errata.set_aside_payloads AS s USING old
        WHERE s.project_id = old.project_id AND s.id = old.id
        RETURNING s.id`.pipe(
        Effect.map((rows) => rows.length),
        named("PendingPayloads.expireSetAside"),
      ),

    setAsideSize: sql<{ readonly payloads: number; readonly bytes: number }>`
      SELECT count(*)::bigint AS payloads, coalesce(sum(bytes), 0)::bigint AS bytes
      FROM errata.set_aside_payloads`.pipe(
      Effect.map(([row]) => row ?? { payloads: 0, bytes: 0 }),
      named("PendingPayloads.setAsideSize"),
    ),

    retrySetAside: (id) =>
      sql`
        WITH found AS (
          DELETE FROM errata.set_aside_payloads WHERE id = ${id}
          RETURNING project_id, segment_id, position, bytes
        )
        INSERT INTO errata.pending_batches (project_id, segment_id, position, payloads_count, bytes, suspect)
        SELECT project_id, segment_id, position, 1, bytes, true FROM found
        RETURNING id`.pipe(
        Effect.map((rows) => rows.length > 0),
        named("PendingPayloads.retrySetAside"),
      ),

    listSetAside: (page) =>
      sql<SetAsideRow>`
        SELECT id, project_id, segment_id, position, event_id, kind, received_at, bytes, reason, set_aside_at
        FROM errata.set_aside_payloads
        WHERE id < ${page.cursor ?? Number.MAX_SAFE_INTEGER} ORDER BY id DESC LIMIT ${page.limit + 1}`.pipe(
        Effect.map((rows) => Page.fromRows(rows.map(toSetAside), page)),
        named("PendingPayloads.listSetAside"),
      ),

    size: sql<{ readonly payloads: number; readonly bytes: number }>`
      SELECT coalesce(sum(payloads_count - cardinality(done)), 0)::bigint AS payloads,
        coalesce(sum(bytes), 0)::bigint AS bytes
      FROM errata.pending_batches`.pipe(
      Effect.map(([row]) => row ?? { payloads: 0, bytes: 0 }),
      named("PendingPayloads.size"),
    ),
  })
})

export const layer = Layer.effect(PendingPayloads, make)

// internal

/** Batches are locked before they are counted: a bound to the locks that are taken in vain. */
const maxLeasedBatches = 400

const batchColumns =
  "b.id, b.project_id, b.segment_id, b.position, b.attempts, b.done, s.index_bytes, s.block_bytes"

interface BatchRow extends Omit<Segments.StoredBlock, "body"> {
  readonly id: number
  readonly project_id: ProjectId
  readonly segment_id: number
  /** Of the one payload that is meant; null for all of the segment. */
  readonly position: number | null
  readonly attempts: number
  readonly done: ReadonlyArray<number>
  /** Null where it is among the recent ones. */
  readonly body: Uint8Array | null
}

const batchOf = (row: BatchRow, block: Uint8Array): PendingBatch => ({
  id: row.id,
  attempts: row.attempts,
  projectId: row.project_id,
  payloads: Segments.unpack(block, row)
    .map((payload: Payload, position) => ({ place: { segmentId: row.segment_id, position }, payload }))
    .filter(
      ({ place: { position } }) =>
        (row.position === null || row.position === position) && !row.done.includes(position),
    ),
})

interface SetAsideRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly segment_id: number
  readonly position: number
  readonly event_id: string
  readonly kind: string
  readonly received_at: Date
  readonly bytes: number
  readonly reason: string
  readonly set_aside_at: Date
}

const toSetAside = (row: SetAsideRow): SetAsidePayload => ({
  id: row.id,
  place: { segmentId: row.segment_id, position: row.position },
  projectId: row.project_id,
  eventId: row.event_id,
  kind: row.kind,
  receivedAt: row.received_at.getTime(),
  bytes: row.bytes,
  reason: row.reason,
  setAsideAt: toUtc(row.set_aside_at),
})
