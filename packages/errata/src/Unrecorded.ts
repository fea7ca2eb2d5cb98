/** Tracks the payloads that this instance has accepted and not recorded yet, so that `flush` waits only for them. */
import type { ProjectId } from "@errata/core"
import { RecorderWorker, Transactions } from "@errata/core/internal"
import {
  type BatchPart,
  type Payload,
  type PendingBatch,
  PendingPayloads,
  ReportStore,
  type StoredPayload,
} from "@errata/core/ports"
import { Cause, Context, Effect, Layer, Option } from "effect"

/** The unrecorded payloads of this instance. */
export class Unrecorded extends Context.Service<Unrecorded, OwnPayloads>()("errata/Unrecorded") {}

/** Wraps the queue. All services must use the `PendingPayloads` that this layer provides. */
export const layer: Layer.Layer<Unrecorded | PendingPayloads, never, PendingPayloads> = Layer.effectContext(
  Effect.map(PendingPayloads, (queue) => {
    const own = new OwnPayloads()
    return Context.make(Unrecorded, own).pipe(
      Context.add(PendingPayloads, {
        ...queue,
        append: (payloads) =>
          Effect.suspend(() => {
            // Before the append: a worker may record the payloads before the append returns.
            own.add(payloads)
            return Effect.onError(queue.append(payloads), () => Effect.sync(() => own.drop(payloads)))
          }),
        lease: (request) =>
          Effect.tap(queue.lease(request), (batches) => Effect.sync(() => own.take(batches))),
        leaseSuspect: (patience) =>
          Effect.tap(queue.leaseSuspect(patience), (suspect) =>
            Effect.sync(() => own.take(Option.toArray(suspect))),
          ),
        isolate: (payloads) =>
          Effect.tap(queue.isolate(payloads), () =>
            Transactions.afterCommit(Effect.sync(() => own.addAgain(payloads))),
          ),
        remove: (parts) =>
          Effect.tap(queue.remove(parts), (complete) =>
            complete ? Transactions.afterCommit(Effect.sync(() => own.remove(parts))) : Effect.void,
          ),
      }),
    )
  }),
)

/**
 * Records the queue until every payload that this instance has accepted so far is a report or a dead letter, on any
 * node. Retries forever while the storage is unavailable; the workers log the failures.
 */
export const settled = Effect.gen(function* () {
  const own = yield* Unrecorded
  const reports = yield* ReportStore
  const queue = yield* PendingPayloads
  const waiting = own.keys()
  const record = Effect.andThen(RecorderWorker.recordAvailable, RecorderWorker.recordSuspect)
  /** Finds payloads that other nodes have recorded, without a notification. */
  const ask = Effect.gen(function* () {
    const asked = own.some(waiting, maxAsked)
    const found = yield* reports.locate(asked)
    own.forget(asked.filter((_, i) => (found[i] ?? null) !== null))
    // A payload that is neither queued nor a report is a dead letter, or its project was deleted.
    const { payloads } = yield* queue.size
    if (payloads === 0) own.forget(own.some(waiting, Number.POSITIVE_INFINITY))
  })
  const look = (tries: number) =>
    Effect.andThen(record, tries === 0 ? Effect.void : ask).pipe(
      Effect.catch((error) => Effect.logDebug("Recording pending errors failed", Cause.fail(error))),
    )
  for (let tries = 0; own.has(waiting); tries++) {
    if (tries > 0) yield* Effect.sleep(Math.min(shortestPause * 2 ** tries, longestPause))
    yield* look(tries)
  }
})

/** A payload of this instance in the queue. */
interface OwnPayload {
  readonly key: string
  readonly projectId: ProjectId
  readonly eventId: string
  /** Number of its queue entries: two while it is isolated. */
  entries: number
}

/** Payloads by key. Not an Effect service, since every event passes here. */
export class OwnPayloads {
  private readonly waiting = new Map<string, OwnPayload>()
  /** The payloads in a leased batch, by batch id and position. */
  private readonly leased = new Map<number, ReadonlyMap<number, OwnPayload>>()

  add(payloads: ReadonlyArray<Payload>): void {
    for (const payload of payloads) {
      const { eventId, projectId } = payload
      const key = keyOf(payload)
      const known = this.waiting.get(key)
      if (known === undefined) this.waiting.set(key, { key, projectId, eventId, entries: 1 })
      else known.entries++
    }
    // The queue is ordered by age: with so many payloads waiting, other nodes have recorded the oldest.
    trim(this.waiting)
  }

  drop(payloads: ReadonlyArray<Payload>): void {
    for (const payload of payloads) this.end(this.waiting.get(keyOf(payload)))
  }

  addAgain(payloads: ReadonlyArray<StoredPayload>): void {
    for (const { payload } of payloads) {
      const known = this.waiting.get(keyOf(payload))
      if (known !== undefined) known.entries++
    }
  }

  take(batches: ReadonlyArray<PendingBatch>): void {
    for (const { id, payloads } of batches) {
      const own = new Map<number, OwnPayload>()
      for (const { payload, place } of payloads) {
        const known = this.waiting.get(keyOf(payload))
        if (known !== undefined) own.set(place.position, known)
      }
      if (own.size > 0) this.leased.set(id, own)
    }
    // Batches that another worker has taken over are never removed here.
    trim(this.leased)
  }

  remove(parts: ReadonlyArray<BatchPart>): void {
    for (const { batchId, positions, whole } of parts) {
      const own = this.leased.get(batchId)
      if (own === undefined) continue
      for (const position of positions) this.end(own.get(position))
      if (whole) this.leased.delete(batchId)
    }
  }

  forget(payloads: ReadonlyArray<OwnPayload>): void {
    for (const { key } of payloads) this.waiting.delete(key)
  }

  keys(): ReadonlySet<string> {
    return new Set(this.waiting.keys())
  }

  /** True if any of the payloads waits. */
  has(keys: ReadonlySet<string>): boolean {
    for (const key of keys) if (this.waiting.has(key)) return true
    return false
  }

  /** Returns at most `limit` of the payloads that wait. */
  some(keys: ReadonlySet<string>, limit: number): ReadonlyArray<OwnPayload> {
    const some: Array<OwnPayload> = []
    for (const key of keys) {
      if (some.length >= limit) break
      const known = this.waiting.get(key)
      if (known !== undefined) some.push(known)
    }
    return some
  }

  private end(payload: OwnPayload | undefined): void {
    if (payload !== undefined && --payload.entries === 0) this.waiting.delete(payload.key)
  }
}

// internal

const maxKept = 10_000
const maxAsked = 500

/** Between polls, in milliseconds. */
const shortestPause = 5
const longestPause = 100

const keyOf = ({ eventId, kind, projectId }: Payload): string => `${projectId}/${eventId}/${kind}`

const trim = <K>(entries: Map<K, unknown>): void => {
  for (const key of entries.keys()) {
    if (entries.size <= maxKept) return
    entries.delete(key)
  }
}
