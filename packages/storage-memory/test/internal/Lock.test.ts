import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import * as Lock from "../../src/internal/Lock.js"

/** Lets other fibers run until they block. */
const settle = Effect.repeat(Effect.yieldNow, { times: 20 })

describe("Lock", () => {
  it.effect("serves any number of waiting fibers", () =>
    Effect.gen(function* () {
      const lock = Lock.make()
      const end = yield* Deferred.make<void>()
      const holder = yield* Effect.forkChild(lock.hold(Deferred.await(end)))
      yield* settle
      const many = Array.from({ length: 10_000 }, () => lock.hold(Effect.void))
      const waiting = yield* Effect.forkChild(Effect.all(many, { concurrency: "unbounded", discard: true }))
      yield* settle
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(holder)
      yield* Fiber.join(waiting)
    }),
  )

  it.effect("is held by one fiber at a time, in the order of requests", () =>
    Effect.gen(function* () {
      const lock = Lock.make()
      const seen: Array<string> = []
      const use = (name: string) =>
        lock.hold(
          Effect.gen(function* () {
            seen.push(`${name} in`)
            yield* settle
            seen.push(`${name} out`)
          }),
        )
      yield* Effect.all([use("a"), use("b"), use("c")], { concurrency: "unbounded" })
      expect(seen).toEqual(["a in", "a out", "b in", "b out", "c in", "c out"])
    }),
  )

  it.effect("prefers a waiting fiber to one that requests it again", () =>
    Effect.gen(function* () {
      const lock = Lock.make()
      const seen: Array<string> = []
      const busy = Effect.repeat(
        lock.hold(Effect.sync(() => seen.push("busy")).pipe(Effect.andThen(Effect.yieldNow))),
        { times: 50 },
      )
      const patient = lock.hold(Effect.sync(() => seen.push("patient")))
      yield* Effect.all([busy, patient], { concurrency: "unbounded" })
      expect(seen.indexOf("patient")).toBe(1)
    }),
  )

  it.effect("skips interrupted fibers", () =>
    Effect.gen(function* () {
      const lock = Lock.make()
      const end = yield* Deferred.make<void>()
      const holder = yield* Effect.forkChild(lock.hold(Deferred.await(end)))
      yield* settle
      const impatient = yield* Effect.forkChild(lock.hold(Effect.die(new Error("was interrupted before"))))
      const patient = yield* Effect.forkChild(lock.hold(Effect.succeed("held")))
      yield* settle
      yield* Fiber.interrupt(impatient)
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(holder)
      expect(yield* Fiber.join(patient)).toBe("held")
    }),
  )

  it.effect("is free again when its holder fails or is interrupted at any time", () =>
    Effect.gen(function* () {
      const lock = Lock.make()
      yield* Effect.exit(lock.hold(Effect.fail("intended")))
      for (let turns = 0; turns < 20; turns++) {
        const end = yield* Deferred.make<void>()
        const holder = yield* Effect.forkChild(lock.hold(Deferred.await(end)))
        yield* settle
        const waiting = yield* Effect.forkChild(lock.hold(Effect.never))
        yield* settle
        // The lock is passed on and its new holder is interrupted a few turns later.
        yield* Deferred.succeed(end, undefined)
        if (turns > 0) yield* Effect.repeat(Effect.yieldNow, { times: turns - 1 })
        yield* Fiber.interrupt(waiting)
        yield* Fiber.join(holder)
        expect(yield* lock.hold(Effect.succeed("free"))).toBe("free")
      }
    }),
  )
})
