/** The background work of recording: workers that take batches off the queue until their scope closes. */
import { Duration, Effect, Layer, Option, Queue } from "effect"
import * as Heartbeat from "../background/Heartbeat.js"
import * as Loop from "../background/Loop.js"
import { ErrataConfig } from "../ErrataConfig.js"
import type { StorageError } from "../storage/StorageError.js"
import { StorageOutage } from "../storage/StorageOutage.js"
import { type PendingBatch, PendingPayloads } from "./PendingPayloads.js"
import { Recorder } from "./Recorder.js"
import { RecorderSignal } from "./RecorderSignal.js"

/** What the storage knows recording by. */
export const heartbeatName = "record"

/** Takes what there is, once; answers what was leased, and tells `onLeased` before it is recorded. */
const recordLeased = Effect.fnUntraced(function* (onLeased: (leased: Leased) => Effect.Effect<unknown>) {
  const { recorder: settings } = yield* ErrataConfig
  const pending = yield* PendingPayloads
  const recorder = yield* Recorder
  return yield* finishing(
    pending.lease({
      payloads: settings.batchPayloads,
      bytes: settings.batchBytes,
      duration: settings.leaseDuration,
    }),
    (batches, leased) =>
      onLeased(leased).pipe(
        Effect.andThen(keep(batches)),
        Effect.andThen(recorder.recordBatches(batches)),
        Effect.scoped,
      ),
  )
})

/** Takes what there is, once; answers how many payloads were leased. Other nodes may take their share meanwhile. */
export const recordAvailable = Effect.map(
  recordLeased(() => Effect.void),
  ({ payloads }) => payloads,
)

/** Takes a suspect that is due, by itself; answers how many payloads that were. */
export const recordSuspect = Effect.gen(function* () {
  const { recorder: settings } = yield* ErrataConfig
  const pending = yield* PendingPayloads
  const recorder = yield* Recorder
  const { payloads } = yield* finishing(
    Effect.map(pending.leaseSuspect(settings.suspectPatience), Option.toArray),
    ([suspect]) => (suspect === undefined ? Effect.void : recorder.recordSuspect(suspect)),
  )
  return payloads
})

/** Records until nothing is left that others do not hold and that is due. */
export const drain = Effect.repeat(
  Effect.zipWith(recordAvailable, recordSuspect, (some, suspects) => some + suspects),
  { while: (count) => count > 0 },
)

/** Records that a worker starts, also before the thread that runs it is ready. */
export const started = Heartbeat.started(heartbeatName)

/** Runs the configured number of workers. Closing the scope waits for batches under way. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { recorder: settings } = yield* ErrataConfig
    const signal = yield* RecorderSignal
    const outage = yield* StorageOutage
    const backlog = yield* Queue.sliding<void>(1)
    const { beat, failed, passed } = yield* Heartbeat.make(heartbeatName)
    const run = <E, R>(work: Effect.Effect<number, E, R>, pause: Effect.Effect<void>) =>
      Loop.forever(Effect.andThen(Effect.repeat(work, { while: (count) => count > 0 }), pause), (cause) =>
        outage.logFailure("Recording failed and will be retried", cause),
      )
    const isFull = ({ bytes, payloads }: Leased) =>
      4 * payloads >= 3 * settings.batchPayloads || 4 * bytes >= 3 * settings.batchBytes
    // Of suspects alone nothing is heard: there are none most of the time, and looking for them shows little.
    const record = recordLeased((leased) =>
      isFull(leased) ? Queue.offer(backlog, undefined) : Effect.void,
    ).pipe(Effect.tap(passed), Effect.tapCause(failed))
    // A transaction costs nearly as much for one payload as for a hundred: under load a batch is waited for. What comes
    // in after a pause is recorded at once.
    const first = Effect.flatMap(record, (leased) =>
      leased.payloads === 0 || isFull(leased)
        ? Effect.succeed(leased.payloads)
        : Effect.as(Effect.sleep(settings.gatheringTime), leased.payloads),
    )
    // For the same reason the others have a part of what is there only where there is more than one batch of it, or where
    // the first is held up.
    const other = Effect.map(record, (leased) => (isFull(leased) ? leased.payloads : 0))
    // Another node may have left work, and told nobody here.
    const poll = Effect.sleep(settings.pollInterval)
    const others = run(other, Effect.raceFirst(Queue.take(backlog), poll))
    yield* Loop.start([
      Effect.annotateLogs(run(first, Effect.raceFirst(signal.await, poll)), { recorder: 0 }),
      ...Array.from({ length: settings.workers - 1 }, (_, i) =>
        Effect.annotateLogs(others, { recorder: i + 1 }),
      ),
      run(recordSuspect, poll),
      beat,
    ])
  }),
)

// internal

/** How much a lease brought; `bytes` are of bodies. */
interface Leased {
  readonly payloads: number
  readonly bytes: number
}

const nothing: Leased = { payloads: 0, bytes: 0 }

const sizeOf = (batches: ReadonlyArray<PendingBatch>): Leased => {
  let payloads = 0
  let bytes = 0
  for (const batch of batches) {
    payloads += batch.payloads.length
    for (const { payload } of batch.payloads) bytes += payload.body.byteLength
  }
  return { payloads, bytes }
}

/**
 * Leases batches and does something with them, to the end even when the worker is asked to stop: what was leased is
 * recorded or given back.
 */
const finishing = <R, R2>(
  lease: Effect.Effect<ReadonlyArray<PendingBatch>, StorageError, R>,
  work: (batches: ReadonlyArray<PendingBatch>, leased: Leased) => Effect.Effect<void, StorageError, R2>,
) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const pending = yield* PendingPayloads
      const batches = yield* lease
      if (batches.length === 0) return nothing
      const leased = sizeOf(batches)
      const release = pending.release(batches)
      yield* work(batches, leased).pipe(
        // The storage may be away: until it is back there is nothing better to do than to try to give them back.
        Effect.tapError(() => Effect.ignore(restore(Effect.retry(release, Loop.retrySchedule)))),
      )
      return leased
    }),
  )

/** Renews the leases of batches until the scope closes. A node that was killed does so no more. */
const keep = (batches: ReadonlyArray<PendingBatch>) =>
  Effect.gen(function* () {
    const { recorder: settings } = yield* ErrataConfig
    const pending = yield* PendingPayloads
    if (batches.length === 0) return
    yield* Effect.sleep(Duration.times(settings.leaseDuration, 1 / 3)).pipe(
      Effect.andThen(pending.renew(batches, settings.leaseDuration)),
      // Whoever records the batches meets the same storage, and tells of it.
      Effect.ignore,
      Effect.forever,
      Effect.interruptible,
      Effect.forkScoped,
    )
  })
