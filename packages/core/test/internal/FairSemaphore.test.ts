import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import * as FairSemaphore from "../../src/internal/FairSemaphore.js"

describe("FairSemaphore", () => {
  it.effect("serves keys in turn, and limits each key to its share", () =>
    Effect.gen(function* () {
      const permits = FairSemaphore.makeUnsafe<string>({ permits: 3, perKey: 2 })
      const started: Array<string> = []
      const latches: Array<Deferred.Deferred<void>> = []
      const ask = Effect.fnUntraced(function* (holder: string) {
        const latch = yield* Deferred.make<void>()
        return yield* Effect.forkChild(
          permits.withPermit(holder)(
            Effect.andThen(
              Effect.sync(() => {
                started.push(holder)
                latches.push(latch)
              }),
              Deferred.await(latch),
            ),
          ),
        )
      })
      const finishFirst = Effect.suspend(() => Deferred.succeed(latches.shift()!, undefined)).pipe(
        Effect.andThen(Effect.yieldNow),
        Effect.andThen(Effect.yieldNow),
      )
      for (const holder of ["a", "a", "a", "a", "b", "b", "c"]) yield* ask(holder)
      yield* Effect.yieldNow
      expect(started).toEqual(["a", "a", "b"])
      for (let i = 0; i < 4; i++) yield* finishFirst
      expect(started).toEqual(["a", "a", "b", "b", "c", "a", "a"])
    }),
  )

  it.effect("releases permits when a waiting or holding fiber is interrupted", () =>
    Effect.gen(function* () {
      const permits = FairSemaphore.makeUnsafe<string>({ permits: 1, perKey: 1 })
      const holding = yield* Effect.forkChild(permits.withPermit("a")(Effect.never))
      yield* Effect.yieldNow
      const waiting = yield* Effect.forkChild(permits.withPermit("b")(Effect.never))
      const next = yield* Effect.forkChild(permits.withPermit("c")(Effect.succeed("ran")))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(waiting)
      yield* Fiber.interrupt(holding)
      expect(yield* Fiber.join(next)).toBe("ran")
      // Interrupted when the permit is granted.
      const last = yield* Effect.forkChild(permits.withPermit("d")(Effect.never))
      yield* Fiber.interrupt(last)
      expect(yield* permits.withPermit("e")(Effect.succeed("ran"))).toBe("ran")
    }),
  )
})
