/** Workers that record batches from the queue until their scope closes. */
import { Duration, Effect, Layer, Option, Queue } from "effect"
import * as Heartbeat from "../background/Heartbeat.js"
import * as Loop from "../background/Loop.js"
import { ErrataConfig } from "../ErrataConfig.js"
import type { StorageError } from "../storage/StorageError.js"
import { StorageOutage } from "../storage/StorageOutage.js"
import { type PendingBatch, PendingPayloads } from "./PendingPayloads.js"
import { Recorder } from "./Recorder.js"
import { RecorderSignal } from "./RecorderSignal.js"
import { suspectPauses } from "./SuspectRetries.js"

/** The name of the recorder's heartbeat in the storage. */
export const heartbeatName = "record"

/** Leases and records once. Returns the size of the lease, and calls `onLeased` with it before it records. */
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

/** Leases and records once. Returns the number of leased payloads. */
export const recordAvailable = Effect.map(
  recordLeased(() => Effect.void),
  ({ payloads }) => payloads,
)

/** Records one suspect alone, if one is due. Returns the number of payloads. */
export const recordSuspect = Effect.gen(function* () {
  const pending = yield* PendingPayloads
  const recorder = yield* Recorder
  const { payloads } = yield* finishing(
    Effect.map(pending.leaseSuspect(suspectPauses), Option.toArray),
    ([suspect]) => (suspect === undefined ? Effect.void : recorder.recordSuspect(suspect)),
  )
  return payloads
})

/** Records until nothing is due, except batches that other workers have leased. */
export const drain = Effect.repeat(
  Effect.zipWith(recordAvailable, recordSuspect, (some, suspects) => some + suspects),
  { while: (count) => count > 0 },
)

/** Records the start of the worker before its thread is ready. */
export const started = Heartbeat.started(heartbeatName)

/** Runs the configured number of workers. Closing the scope waits for running batches. */
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
    // Suspects do not update the heartbeat: they are rare, and an empty poll for them proves little.
    const record = recordLeased((leased) =>
      isFull(leased) ? Queue.offer(backlog, undefined) : Effect.void,
    ).pipe(Effect.tap(passed), Effect.tapCause(failed))
    // A transaction costs nearly as much for one payload as for a hundred. Under load, wait for a batch to fill;
    // payloads that arrive after a pause are recorded at once.
    const first = Effect.flatMap(record, (leased) =>
      leased.payloads === 0 || isFull(leased)
        ? Effect.succeed(leased.payloads)
        : Effect.as(Effect.sleep(settings.gatheringTime), leased.payloads),
    )
    // The other workers join only if there is more than one batch, or if the first worker is blocked.
    const other = Effect.map(record, (leased) => (isFull(leased) ? leased.payloads : 0))
    // Polling finds payloads that other nodes accepted.
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

/** The size of a lease; `bytes` counts bodies. */
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
 * Leases batches and processes them. Interrupting a worker does not interrupt a batch: it is recorded or released.
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
        // If the storage is unavailable, retry the release until it recovers.
        Effect.tapError(() => Effect.ignore(restore(Effect.retry(release, Loop.retrySchedule)))),
      )
      return leased
    }),
  )

/** Renews the leases of batches until the scope closes. If a node is killed, its leases expire. */
const keep = Effect.fnUntraced(function* (batches: ReadonlyArray<PendingBatch>) {
  const { recorder: settings } = yield* ErrataConfig
  const pending = yield* PendingPayloads
  if (batches.length === 0) return
  yield* Effect.sleep(Duration.times(settings.leaseDuration, 1 / 3)).pipe(
    Effect.andThen(pending.renew(batches, settings.leaseDuration)),
    // The recorder meets the same error and logs it.
    Effect.ignore,
    Effect.forever,
    Effect.interruptible,
    Effect.forkScoped,
  )
})
