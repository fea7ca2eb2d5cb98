/**
 * The queue of payloads. What one write appends is one row: the bodies end to end, and an index of them. So appending,
 * leasing and removing cost per write, not per payload, and leasing never copies a body.
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
import { Duration, Effect, Layer, Option } from "effect"
import * as Lz4 from "./internal/Lz4.js"
import * as PgLiteral from "./internal/PgLiteral.js"
import { named } from "./internal/PgStorageError.js"
import { toDate, toUtc } from "./internal/PgTime.js"
import { RecentBodies } from "./RecentBodies.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const recent = (yield* RecentBodies)()

  /** Leased rows as batches, oldest first. `bodies` are those that need not be read. */
  const leased = (rows: ReadonlyArray<BatchRow>, bodies: ReadonlyMap<number, Uint8Array>) => {
    recent.drop(rows.map((row) => row.id))
    return rows
      .map((row) => unpack(row, row.body === null ? bodies.get(row.id)! : bodyOf(row, row.body)))
      .sort((self, that) => self.id - that.id)
  }

  return PendingPayloads.of({
    append: (payloads) => {
      if (payloads.length === 0) return Effect.void
      const { index, body } = pack(payloads)
      const compressed = compress(body)
      return sql<{ readonly id: number }>`
        INSERT INTO errata.pending_batches (payloads, payloads_count, bytes, compressed, body)
        VALUES (${index}, ${payloads.length}, ${body.byteLength}, ${compressed !== null}, ${compressed ?? body})
        RETURNING id`.pipe(
        // In a transaction it may be undone yet; then it is a body that nobody will ask for.
        Effect.map(([row]) => recent.keep(row!.id, body)),
        named("PendingPayloads.append"),
      )
    },

    lease: ({ payloads, bytes, duration }) =>
      Effect.suspend(() => {
        const bodies = recent.snapshot()
        return sql<BatchRow>`
          UPDATE errata.pending_batches AS b
          SET claimed_until = errata.now() + ${interval(duration)}::interval, attempts = b.attempts + 1
          FROM (
            SELECT id FROM (
              SELECT id, claimed_until,
                sum(payloads_count) OVER (ORDER BY id) - payloads_count AS payloads_before,
                sum(bytes) OVER (ORDER BY id) - bytes AS bytes_before
              FROM (
                SELECT id, claimed_until, payloads_count, bytes FROM errata.pending_batches
                WHERE NOT suspect AND (claimed_until IS NULL OR claimed_until <= errata.now())
                ORDER BY id LIMIT ${Math.min(payloads, maxLeasedBatches)} FOR NO KEY UPDATE SKIP LOCKED
              ) AS free
            ) AS counted
            WHERE payloads_before < ${payloads} AND bytes_before < ${bytes}
          ) AS chosen
          WHERE b.id = chosen.id
          RETURNING b.id, b.attempts, b.payloads, b.done, b.bytes, b.compressed,
            CASE WHEN b.id = ANY (${PgLiteral.numbers([...bodies.keys()])}::bigint[]) THEN NULL ELSE b.body END AS body`.pipe(
          Effect.map((rows) => leased(rows, bodies)),
        )
      }).pipe(named("PendingPayloads.lease")),

    renew: (batches, duration) =>
      // Not those that are just being removed: whoever does so holds them already.
      sql`
        UPDATE errata.pending_batches AS b SET claimed_until = errata.now() + ${interval(duration)}::interval
        FROM (
          SELECT p.id FROM errata.pending_batches AS p
          JOIN unnest(
            ${PgLiteral.numbers(batches.map((batch) => batch.id))}::bigint[],
            ${PgLiteral.numbers(batches.map((batch) => batch.attempts))}::integer[]
          ) AS c (id, attempts) ON p.id = c.id AND p.attempts = c.attempts
          FOR NO KEY UPDATE OF p SKIP LOCKED
        ) AS held
        WHERE b.id = held.id`.pipe(Effect.asVoid, named("PendingPayloads.renew")),

    isolate: (payloads) =>
      Effect.forEach(
        payloads,
        (payload) => {
          const { index, body } = pack([payload])
          return sql`
            INSERT INTO errata.pending_batches (payloads, payloads_count, bytes, suspect, body)
            VALUES (${index}, 1, ${body.byteLength}, true, ${body})`
        },
        { discard: true },
      ).pipe(named("PendingPayloads.isolate")),

    leaseSuspect: ({ first, longest }) =>
      sql<BatchRow>`
        UPDATE errata.pending_batches AS b
        SET attempts = b.attempts + 1,
          claimed_until = errata.now() + least(${interval(first)}::interval * power(4, least(b.attempts, 20)), ${interval(longest)}::interval)
        FROM (
          SELECT id FROM errata.pending_batches
          WHERE suspect AND (claimed_until IS NULL OR claimed_until <= errata.now())
          ORDER BY claimed_until NULLS FIRST, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
        ) AS chosen
        WHERE b.id = chosen.id
        RETURNING b.id, b.attempts, b.payloads, b.done, b.bytes, b.compressed, b.body`.pipe(
        Effect.map((rows) => Option.fromNullable(leased(rows, new Map())[0])),
        named("PendingPayloads.leaseSuspect"),
      ),

    remove: (parts) =>
      Effect.gen(function* () {
        const whole = parts.filter((part) => part.whole)
        const some = parts.filter((part) => !part.whole)
        if (whole.length > 0) {
          // Not if parts of a batch are gone: then it is whole only to a worker whose lease ran out before.
          const gone = yield* sql`
            DELETE FROM errata.pending_batches AS b
            USING unnest(
              ${PgLiteral.numbers(whole.map((part) => part.batchId))}::bigint[],
              ${PgLiteral.numbers(whole.map((part) => part.positions.length))}::integer[]
            ) AS c (id, remaining),
            -- Not worth a wait for the disk: if the end of the log is lost with the server, so is this removal, and
            -- what was recorded is recorded again from the queue.
            (SELECT set_config('synchronous_commit', 'off', true)) AS relaxed
            WHERE b.id = c.id AND b.payloads_count - cardinality(b.done) = c.remaining
            RETURNING b.id`
          if (gone.length < whole.length) return false
        }
        for (const { batchId, positions } of some) {
          const done = PgLiteral.numbers(positions)
          const marked = yield* sql`
            UPDATE errata.pending_batches SET done = done || ${done}::integer[]
            WHERE id = ${batchId} AND NOT done && ${done}::integer[] RETURNING id`
          if (marked.length === 0) return false
          yield* sql`DELETE FROM errata.pending_batches WHERE id = ${batchId} AND cardinality(done) >= payloads_count`
        }
        return true
      }).pipe(named("PendingPayloads.remove")),

    release: (batchIds) =>
      sql`
        UPDATE errata.pending_batches SET claimed_until = NULL, attempts = greatest(attempts - 1, 0)
        WHERE id = ANY (${PgLiteral.numbers(batchIds)}::bigint[])`.pipe(
        Effect.asVoid,
        named("PendingPayloads.release"),
      ),

    postpone: (batchIds, duration) =>
      sql`
        UPDATE errata.pending_batches SET claimed_until = errata.now() + ${interval(duration)}::interval, attempts = 0
        WHERE id = ANY (${PgLiteral.numbers(batchIds)}::bigint[])`.pipe(
        Effect.asVoid,
        named("PendingPayloads.postpone"),
      ),

    setAside: (payloads, bounds, now) =>
      Effect.gen(function* () {
        const ids: Array<number> = []
        for (const { payload, reason } of payloads) {
          const [row] = yield* sql<{ readonly id: number }>`
            INSERT INTO errata.set_aside_payloads ${sql.insert({
              project_id: payload.projectId,
              event_id: payload.eventId,
              kind: payload.kind,
              received_at: new Date(payload.receivedAt),
              // The driver's words may hold what the column cannot.
              reason: reason.replaceAll("\0", "").toWellFormed(),
              set_aside_at: toDate(now),
              bytes: payload.body.byteLength,
              body: payload.body,
            })} RETURNING id`
          ids.push(row!.id)
        }
        const projectIds = new Set(payloads.map(({ payload }) => payload.projectId))
        if (projectIds.size > 0) {
          yield* sql`
            DELETE FROM errata.set_aside_payloads AS s
            USING (
              SELECT id, row_number() OVER newest AS place, sum(bytes) OVER newest AS bytes
              FROM errata.set_aside_payloads
              WHERE project_id = ANY (${PgLiteral.numbers([...projectIds])}::bigint[])
              WINDOW newest AS (PARTITION BY project_id ORDER BY id DESC)
            ) AS kept
            WHERE s.id = kept.id AND (kept.place > ${bounds.payloads} OR kept.bytes > ${bounds.bytes})`
        }
        return ids
      }).pipe(named("PendingPayloads.setAside")),

    expireSetAside: (before, limit) =>
      sql`
        DELETE FROM errata.set_aside_payloads WHERE id IN (
          SELECT id FROM errata.set_aside_payloads WHERE set_aside_at < ${toDate(before)}
          ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED)
        RETURNING id`.pipe(
        Effect.map((rows) => rows.length),
        named("PendingPayloads.expireSetAside"),
      ),

    setAsideSize: sql<{ readonly payloads: number; readonly bytes: number }>`
      SELECT count(*)::bigint AS payloads, coalesce(sum(bytes), 0)::bigint AS bytes
      FROM errata.set_aside_payloads`.pipe(
      Effect.map(([row]) => row ?? { payloads: 0, bytes: 0 }),
      named("PendingPayloads.setAsideSize"),
    ),

    dropSetAside: (id) =>
      sql`DELETE FROM errata.set_aside_payloads WHERE id = ${id} RETURNING id`.pipe(
        Effect.map((rows) => rows.length > 0),
        named("PendingPayloads.dropSetAside"),
      ),

    listSetAside: (page) =>
      sql<SetAsideRow>`
        SELECT id, project_id, event_id, kind, received_at, reason, set_aside_at, body
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

const interval = (duration: Duration.Duration) => `${Duration.toMillis(duration)} milliseconds`

/** Batches are locked before they are counted: a bound to the locks that are taken in vain. */
const maxLeasedBatches = 64

interface BatchRow {
  readonly id: number
  readonly attempts: number
  readonly payloads: string
  readonly done: ReadonlyArray<number>
  readonly bytes: number
  readonly compressed: boolean
  /** Null where it is among the recent ones. */
  readonly body: Uint8Array | null
}

type IndexEntry = readonly [
  projectId: ProjectId,
  eventId: string,
  kind: string,
  receivedAt: number,
  offset: number,
  length: number,
]

const pack = (payloads: ReadonlyArray<Payload>): { readonly index: string; readonly body: Uint8Array } => {
  let offset = 0
  const entries: Array<IndexEntry> = []
  for (const { projectId, eventId, kind, receivedAt, body } of payloads) {
    entries.push([projectId, eventId, kind, receivedAt, offset, body.byteLength])
    offset += body.byteLength
  }
  return {
    index: JSON.stringify(entries),
    body: Buffer.concat(
      payloads.map((payload) => payload.body),
      offset,
    ),
  }
}

/** Events that come together are much alike: a fifth is left. Null where little would be gained. */
const compress = (body: Uint8Array): Buffer | null => {
  // Requests are not to wait for more.
  if (body.length > maxCompressed) return null
  const room = Lz4.maxCompressedBytes(body.length)
  if (scratch.length < room) scratch = new Uint8Array(room)
  const end = Lz4.compress(body, scratch, 0)
  return end < body.length * 0.9 ? Buffer.from(scratch.subarray(0, end)) : null
}

const maxCompressed = 4 * 1024 * 1024
let scratch = new Uint8Array(0)

const bodyOf = (row: BatchRow, body: Uint8Array): Uint8Array =>
  row.compressed ? Lz4.decompress(body, row.bytes) : body

const unpack = (row: BatchRow, body: Uint8Array): PendingBatch => {
  const entries = JSON.parse(row.payloads) as ReadonlyArray<IndexEntry>
  const payloads = entries.map(([projectId, eventId, kind, receivedAt, offset, length], position) => ({
    position,
    payload: { projectId, eventId, kind, receivedAt, body: body.subarray(offset, offset + length) },
  }))
  return {
    id: row.id,
    attempts: row.attempts,
    payloads:
      row.done.length === 0 ? payloads : payloads.filter(({ position }) => !row.done.includes(position)),
  }
}

interface SetAsideRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly event_id: string
  readonly kind: string
  readonly received_at: Date
  readonly reason: string
  readonly set_aside_at: Date
  readonly body: Uint8Array
}

const toSetAside = (row: SetAsideRow): SetAsidePayload => ({
  id: row.id,
  payload: {
    projectId: row.project_id,
    eventId: row.event_id,
    kind: row.kind,
    receivedAt: row.received_at.getTime(),
    body: row.body,
  },
  reason: row.reason,
  setAsideAt: toUtc(row.set_aside_at),
})
