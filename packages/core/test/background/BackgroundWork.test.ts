import { expect, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as BackgroundWork from "../../src/background/BackgroundWork.js"
import type { Job } from "../../src/background/Job.js"
import { JobStore } from "../../src/background/JobStore.js"

it.effect("a stop waits for seconds at most until work is given back to a storage that hangs", () =>
  Effect.gen(function* () {
    const begun = yield* Deferred.make<void>()
    const job: Job = {
      name: "test",
      interval: () => Duration.minutes(1),
      run: Effect.andThen(Deferred.succeed(begun, undefined), Effect.never),
    }
    // A sent statement must be awaited, even after an interrupt.
    const hangs = Effect.uninterruptible(Effect.never)
    const jobs = Layer.mock(JobStore, {
      acquire: () => Effect.succeed({ _tag: "Acquired" }),
      renew: () => Effect.succeed(true),
      release: () => hangs,
    })
    const scope = yield* Scope.make()
    yield* Layer.buildWithScope(Layer.provide(BackgroundWork.layer([job]), jobs), scope)
    // The job waits for the clock only after some turns of the event loop.
    const minutesLater = Effect.andThen(TestClock.withLive(Effect.sleep(1)), TestClock.adjust("2 minutes"))
    yield* Effect.repeat(minutesLater, { until: () => Deferred.isDoneUnsafe(begun) })
    const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    yield* TestClock.adjust("5 seconds")
    expect(yield* Fiber.join(closing)).toBeUndefined()
  }),
)
