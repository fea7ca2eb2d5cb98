/** Whether this instance's recorders are at work, so that somebody can wait for them. */
import { PendingPayloads, Recorder, RecorderWorker } from "@errata/core"
import { Context, Effect, Layer } from "effect"

export class RecorderActivity extends Context.Tag("errata/RecorderActivity")<
  RecorderActivity,
  {
    /** Batches that are being recorded, by their recordings. */
    underWay: number
  }
>() {}

export const layer = Layer.sync(RecorderActivity, () => ({ underWay: 0 }))

/** A recorder whose work is counted. */
export const layerRecorder = Layer.effect(
  Recorder,
  Effect.gen(function* () {
    const recorder = yield* Recorder
    const activity = yield* RecorderActivity
    const counted = <A, E, R>(work: Effect.Effect<A, E, R>) =>
      Effect.acquireUseRelease(
        Effect.sync(() => activity.underWay++),
        () => work,
        () => Effect.sync(() => activity.underWay--),
      )
    return Recorder.make({
      recordBatches: (batches) => counted(recorder.recordBatches(batches)),
      recordSuspect: (suspect) => counted(recorder.recordSuspect(suspect)),
    })
  }),
).pipe(Layer.provide(Recorder.Default))

/**
 * Records what waits, here or in this instance's workers, until nothing is left, however long that takes. A storage that
 * is away is asked again; its failures are told by the workers.
 */
export const settled = Effect.gen(function* () {
  const pending = yield* PendingPayloads
  const activity = yield* RecorderActivity
  const isDone = Effect.zipRight(RecorderWorker.drain, pending.size).pipe(
    // What is committed is told afterwards, by the recording that committed it.
    Effect.map(({ payloads }) => payloads === 0 && activity.underWay === 0),
    Effect.catchAll((error) => Effect.as(Effect.logDebug("Recording what waits failed", error), false)),
  )
  while (!(yield* isDone)) yield* Effect.sleep("5 millis")
})
