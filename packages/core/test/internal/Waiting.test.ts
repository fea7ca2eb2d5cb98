import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import * as Waiting from "../../src/internal/Waiting.js"

describe("Waiting.atMost", () => {
  const oneSecond = Waiting.atMost("1 second")

  it.effect("ends in time in an uninterruptible region, also for uninterruptible work", () =>
    Effect.gen(function* () {
      const hangs = Effect.uninterruptible(Effect.never)
      const waiting = yield* Effect.forkChild(Effect.uninterruptible(oneSecond(hangs)))
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(waiting)).toEqual(Option.none())
    }),
  )

  it.effect("interrupts interruptible work after the timeout", () =>
    Effect.gen(function* () {
      const interrupted = yield* Deferred.make<void>()
      const work = Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined))
      const waiting = yield* Effect.forkChild(Effect.uninterruptible(oneSecond(work)))
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(waiting)).toEqual(Option.none())
      yield* Deferred.await(interrupted)
    }),
  )

  it.effect("keeps waiting if interrupted in an uninterruptible region", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const answer = yield* Deferred.make<string>()
      const found = yield* Deferred.make<Option.Option<string>>()
      const work = Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(answer))
      const waiting = yield* oneSecond(work).pipe(
        Deferred.into(found),
        Effect.uninterruptible,
        Effect.forkChild,
      )
      yield* Deferred.await(begun)
      waiting.interruptUnsafe()
      yield* TestClock.adjust("999 millis")
      yield* Deferred.succeed(answer, "answered")
      expect(yield* Deferred.await(found)).toEqual(Option.some("answered"))
    }),
  )

  it.effect("ends when its fiber is interrupted, and interrupts the work", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const interrupted = yield* Deferred.make<void>()
      const work = Effect.andThen(Deferred.succeed(begun, undefined), Effect.never).pipe(
        Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined)),
      )
      const waiting = yield* Effect.forkChild(oneSecond(work))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(waiting)
      expect(Exit.hasInterrupts(yield* Fiber.await(waiting))).toBe(true)
      yield* Deferred.await(interrupted)
    }),
  )
})
