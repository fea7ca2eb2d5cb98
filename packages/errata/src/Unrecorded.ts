/** What this instance has taken in and is not recorded yet, so that somebody can wait for that and for nothing else. */
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

/** The payloads that this instance has accepted and that are not recorded yet. */
export class Unrecorded extends Context.Service<Unrecorded, OwnPayloads>()("errata/Unrecorded") {}

/** Everybody has to work on the `PendingPayloads` that comes out of it: the queue, which it stands in front of. */
export const layer: Layer.Layer<Unrecorded | PendingPayloads, never, PendingPayloads> = Layer.effectContext(
  Effect.map(PendingPayloads, (queue) => {
    const own = new OwnPayloads()
    return Context.make(Unrecorded, own).pipe(
      Context.add(PendingPayloads, {
        ...queue,
        append: (payloads) =>
          Effect.suspend(() => {
            // Before they are in the queue: a worker may have recorded them before this goes on.
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
 * Records the queue until every payload that this instance has accepted by now is recorded or a dead letter, on whichever
 * node. It retries forever while the storage is unavailable; the workers log its failures.
 */
export const settled = Effect.gen(function* () {
  const own = yield* Unrecorded
  const reports = yield* ReportStore
  const queue = yield* PendingPayloads
  const waiting = own.keys()
  const record = Effect.andThen(RecorderWorker.recordAvailable, RecorderWorker.recordSuspect)
  /** What other nodes have recorded: nobody tells. */
  const ask = Effect.gen(function* () {
    const asked = own.some(waiting, maxAsked)
    const found = yield* reports.locate(asked)
    own.forget(asked.filter((_, i) => (found[i] ?? null) !== null))
    // A payload that is in no queue and in no report is a dead letter, or its project is gone.
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

/** A payload of this instance's, as the queue knows it. */
interface OwnPayload {
  readonly key: string
  readonly projectId: ProjectId
  readonly eventId: string
  /** How many entries of the queue are it: two while it is being isolated. */
  entries: number
}

/** Payloads by key. Plain values, because every event comes by. */
export class OwnPayloads {
  private readonly waiting = new Map<string, OwnPayload>()
  /** Those of them that are in a leased batch, by the batch's id. */
  private readonly leased = new Map<number, ReadonlyMap<number, OwnPayload>>()

  add(payloads: ReadonlyArray<Payload>): void {
    for (const payload of payloads) {
      const { eventId, projectId } = payload
      const key = keyOf(payload)
      const known = this.waiting.get(key)
      if (known === undefined) this.waiting.set(key, { key, projectId, eventId, entries: 1 })
      else known.entries++
    }
    // The queue goes by age: the oldest of so many are recorded, by other nodes.
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
    // Of batches that another worker has taken over nothing more is heard.
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

  /** Whether any of them waits. */
  has(keys: ReadonlySet<string>): boolean {
    for (const key of keys) if (this.waiting.has(key)) return true
    return false
  }

  /** Those of them that wait, but not more than `limit`. */
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

/** Between looks, in milliseconds. */
const shortestPause = 5
const longestPause = 100

const keyOf = ({ eventId, kind, projectId }: Payload): string => `${projectId}/${eventId}/${kind}`

const trim = <K>(entries: Map<K, unknown>): void => {
  for (const key of entries.keys()) {
    if (entries.size <= maxKept) return
    entries.delete(key)
  }
}
