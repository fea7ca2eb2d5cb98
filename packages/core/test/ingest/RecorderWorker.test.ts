import { setImmediate } from "node:timers/promises"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { JobStore } from "../../src/background/JobStore.js"
import { defaultSettings, ErrataConfig } from "../../src/ErrataConfig.js"
import { type PendingBatch, PendingPayloads } from "../../src/ingest/PendingPayloads.js"
import { Recorder } from "../../src/ingest/Recorder.js"
import { RecorderSignal } from "../../src/ingest/RecorderSignal.js"
import * as RecorderWorker from "../../src/ingest/RecorderWorker.js"
import { ProjectId } from "../../src/project/Project.js"

const projectId = ProjectId.make(1)

const batchOf = (id: number, count: number): PendingBatch => ({
  id,
  attempts: 1,
  projectId,
  payloads: Array.from({ length: count }, (_, position) => ({
    place: { segmentId: id, position },
    payload: { projectId, eventId: `${position}`, kind: "event", receivedAt: 0, body: new Uint8Array(1) },
  })),
})

/** Two workers whose storage has whatever is in `queue`, one batch a lease, and whose recordings end when `gate` opens. */
const twoWorkers = Effect.gen(function* () {
  const queue: Array<PendingBatch> = []
  const recorded: Array<number> = []
  const gate = yield* Deferred.make<void>()
  const stores = Layer.mergeAll(
    Layer.mock(PendingPayloads, {
      lease: () => Effect.sync(() => queue.splice(0, 1)),
      leaseSuspect: () => Effect.succeed(Option.none()),
      renew: () => Effect.void,
      release: () => Effect.void,
    }),
    Layer.mock(JobStore, { heartbeat: () => Effect.void }),
    Layer.succeed(
      Recorder,
      Recorder.of({
        recordBatches: (batches) => {
          recorded.push(...batches.map(({ id }) => id))
          return Deferred.await(gate)
        },
        recordSuspect: () => Effect.void,
      }),
    ),
    Layer.succeed(ErrataConfig, {
      ...defaultSettings,
      recorder: { ...defaultSettings.recorder, workers: 2, batchPayloads: 4 },
    }),
  )
  const signal = yield* RecorderSignal
  const arrive = (...counts: ReadonlyArray<number>) =>
    Effect.andThen(
      Effect.sync(() => {
        for (const count of counts) queue.push(batchOf(queue.length + recorded.length + 1, count))
      }),
      Effect.andThen(signal.raise, settled),
    )
  yield* Layer.build(Layer.provide(RecorderWorker.layer, stores))
  yield* Effect.addFinalizer(() => Deferred.succeed(gate, undefined))
  // Workers begin in the next turn of the event loop; the first look finds nothing.
  yield* settled
  return { arrive, gate, recorded }
})

/** Lets workers run that wait for no clock: turns of the event loop, because a time would depend on the machine. */
const settled = Effect.promise(() => setImmediate()).pipe(Effect.repeat({ times: 50 }))

describe("RecorderWorker", () => {
  it.effect("leaves payloads that arrive during a small batch for the next batch", () =>
    Effect.gen(function* () {
      const { arrive, recorded } = yield* twoWorkers
      yield* arrive(2)
      yield* arrive(1)
      expect(recorded).toEqual([1])
    }).pipe(Effect.provide(RecorderSignal.Default)),
  )

  it.effect("records two batches concurrently if the first one is full", () =>
    Effect.gen(function* () {
      const { arrive, recorded } = yield* twoWorkers
      yield* arrive(3, 1)
      expect(recorded).toEqual([1, 2])
    }).pipe(Effect.provide(RecorderSignal.Default)),
  )

  it.effect("lets another worker record new payloads if the first one is blocked", () =>
    Effect.gen(function* () {
      const { arrive, recorded } = yield* twoWorkers
      yield* arrive(1)
      yield* arrive(1)
      expect(recorded).toEqual([1])
      yield* TestClock.adjust(defaultSettings.recorder.pollInterval)
      yield* settled
      expect(recorded).toEqual([1, 2])
    }).pipe(Effect.provide(RecorderSignal.Default)),
  )

  it.effect("waits for more payloads after a batch that was not full", () =>
    Effect.gen(function* () {
      const { arrive, gate, recorded } = yield* twoWorkers
      yield* Deferred.succeed(gate, undefined)
      yield* arrive(1)
      yield* arrive(1)
      expect(recorded).toEqual([1])
      yield* TestClock.adjust(defaultSettings.recorder.gatheringTime)
      yield* settled
      expect(recorded).toEqual([1, 2])
    }).pipe(Effect.provide(RecorderSignal.Default)),
  )
})
