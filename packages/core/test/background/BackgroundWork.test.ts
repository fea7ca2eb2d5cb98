import { expect, it } from "@effect/vitest"
import { Clock, Deferred, Duration, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as BackgroundWork from "../../src/background/BackgroundWork.js"
import type { Job } from "../../src/background/Job.js"
import { JobStore } from "../../src/background/JobStore.js"
import { defaultSettings } from "../../src/ErrataConfig.js"

it.effect("a stop waits only seconds for a hanging storage to release the work", () =>
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

it.effect("a job whose lease was lost runs again after a lease, and not after its interval", () =>
  Effect.gen(function* () {
    let runs = 0
    let acquired = 0
    const job: Job = {
      name: "test",
      interval: () => Duration.hours(1),
      run: Effect.andThen(
        Effect.sync(() => runs++),
        Effect.never,
      ),
    }
    const jobs = Layer.mock(JobStore, {
      acquire: () =>
        Effect.sync(() => {
          acquired++
          return { _tag: "Acquired" }
        }),
      // As after a stall of this process: the lease has expired.
      renew: () => Effect.succeed(acquired > 1),
    })
    const { backgroundLease } = defaultSettings
    yield* Layer.build(Layer.provide(BackgroundWork.layer([job]), jobs))
    const later = (duration: Duration.Input) =>
      Effect.andThen(TestClock.withLive(Effect.sleep(1)), TestClock.adjust(duration))
    yield* Effect.repeat(later("10 seconds"), { until: () => runs === 1 })
    const before = yield* Clock.currentTimeMillis
    yield* Effect.repeat(later("1 second"), { until: () => runs === 2 })
    const waited = (yield* Clock.currentTimeMillis) - before
    expect(waited).toBeLessThan(Duration.toMillis(Duration.minutes(30)))
    expect(waited).toBeGreaterThanOrEqual(Duration.toMillis(backgroundLease))
  }),
)

it.effect("a job that fails is retried after a minute, and then after twice as long each time", () =>
  Effect.gen(function* () {
    let runs = 0
    const next: Array<number> = []
    const job: Job = {
      name: "test",
      interval: () => Duration.minutes(5),
      run: Effect.suspend(() => (++runs === 5 ? Effect.void : Effect.fail("failed"))),
    }
    const jobs = Layer.mock(JobStore, {
      acquire: () => Effect.succeed({ _tag: "Acquired" }),
      renew: () => Effect.succeed(true),
      release: (_name, _node, outcome) =>
        Effect.sync(() => {
          if (outcome._tag !== "Interrupted") next.push(Duration.toMinutes(outcome.next))
          return true
        }),
    })
    yield* Layer.build(Layer.provide(BackgroundWork.layer([job]), jobs))
    const later = Effect.andThen(TestClock.withLive(Effect.sleep(1)), TestClock.adjust("30 seconds"))
    yield* Effect.repeat(later, { until: () => next.length === 7 })
    expect(next).toEqual([1, 2, 4, 5, 5, 1, 2])
  }),
)
