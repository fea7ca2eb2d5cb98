/** The background work of recording: workers that take batches off the queue until their scope closes. */
import { Effect, Layer, Schedule } from "effect"
import { ErrataConfig } from "../ErrataConfig.js"
import { StorageOutage } from "../storage/StorageOutage.js"
import { PendingPayloads } from "./PendingPayloads.js"
import { Recorder } from "./Recorder.js"
import { RecorderSignal } from "./RecorderSignal.js"

/** Takes what there is, once; answers how many payloads were leased. Other nodes may take their share meanwhile. */
export const recordAvailable = Effect.gen(function* () {
  const { recorder: settings } = yield* ErrataConfig
  const pending = yield* PendingPayloads
  const recorder = yield* Recorder
  // A batch under way is finished even when the worker is asked to stop: what was leased is recorded or given back.
  return yield* Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const batches = yield* pending.lease({
        payloads: settings.batchPayloads,
        bytes: settings.batchBytes,
        duration: settings.leaseDuration,
      })
      if (batches.length === 0) return 0
      const release = pending.release(batches.map((batch) => batch.id))
      yield* recorder.recordBatches(batches).pipe(
        // The storage may be away: until it is back there is nothing better to do than to try to give them back.
        Effect.tapError(() => Effect.ignore(restore(Effect.retry(release, retrySchedule)))),
      )
      return batches.reduce((count, batch) => count + batch.payloads.length, 0)
    }),
  )
})

/** Records until nothing is left that others do not hold. */
export const drain = Effect.repeat(recordAvailable, { while: (count) => count > 0 })

/** Runs the configured number of workers. Closing the scope waits for batches under way. */
export const layer = Layer.scopedDiscard(
  Effect.gen(function* () {
    const { recorder: settings } = yield* ErrataConfig
    const signal = yield* RecorderSignal
    const outage = yield* StorageOutage
    const worker = drain.pipe(
      // Another worker of this node may sleep while there is work for both.
      Effect.zipLeft(Effect.raceFirst(signal.await, Effect.sleep(settings.pollInterval))),
      Effect.tapErrorCause((cause) => outage.logFailure("Recording failed; it will be tried again", cause)),
      // Of defects too: a worker that ended would be missed by nobody.
      Effect.sandbox,
      Effect.retry(retrySchedule),
      Effect.forever,
    )
    yield* Effect.forEach(
      Array.from({ length: settings.workers }, (_, i) => i),
      (i) => Effect.forkScoped(Effect.annotateLogs(worker, { recorder: i })),
      { discard: true },
    )
  }),
)

// internal

/** For a storage that is away: from a fifth of a second up to five, for ever. */
const retrySchedule = Schedule.union(Schedule.exponential("200 millis"), Schedule.spaced("5 seconds")).pipe(
  Schedule.jittered,
)
