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
    // It begins with a turn of its own: moved before, the clock would not move it any more.
    yield* TestClock.withLive(Effect.sleep("20 millis"))
    yield* TestClock.adjust("2 minutes")
    yield* Deferred.await(begun)
    const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    yield* TestClock.adjust("5 seconds")
    expect(yield* Fiber.join(closing)).toBeUndefined()
  }),
)
