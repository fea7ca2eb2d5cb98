import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as GroupCommit from "../../src/internal/GroupCommit.js"

const options = (
  write: (items: ReadonlyArray<string>) => Effect.Effect<void, string>,
  gatheringMillis = 0,
) => ({
  write,
  gatheringMillis,
  size: (item: string) => item.length,
  maxItems: 3,
  maxSize: 10,
  maxWaiting: 20,
  onFull: () => "full",
})

describe("GroupCommit", () => {
  it.live("combines items that arrive during a write into the next write", () =>
    Effect.gen(function* () {
      const writes: Array<ReadonlyArray<string>> = []
      const gate = yield* Deferred.make<void>()
      const group = yield* GroupCommit.make(
        options((items) =>
          Effect.andThen(
            Effect.sync(() => writes.push(items)),
            Deferred.await(gate),
          ),
        ),
      )
      const first = yield* Effect.forkChild(group.commit("a"))
      yield* Effect.repeat(Effect.sleep(1), { until: () => writes.length === 1 })
      const others = yield* Effect.forEach(["b", "c", "d", "e"], (item) =>
        Effect.forkChild(group.commit(item)),
      )
      yield* Effect.yieldNow
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.joinAll([first, ...others])
      expect(writes).toEqual([["a"], ["b", "c", "d"], ["e"]])
    }),
  )

  it.live("returns to each caller the outcome of its own write", () =>
    Effect.gen(function* () {
      const group = yield* GroupCommit.make(
        options((items) => (items.includes("bad") ? Effect.fail("refused") : Effect.void)),
      )
      expect(yield* Effect.exit(group.commit("good"))).toEqual(Exit.void)
      expect(yield* Effect.flip(group.commit("bad"))).toBe("refused")
      expect(yield* Effect.exit(group.commit("good"))).toEqual(Exit.void)
    }),
  )

  it.live("writes oversized items separately, and rejects items that do not fit", () =>
    Effect.gen(function* () {
      const writes: Array<ReadonlyArray<string>> = []
      const gate = yield* Deferred.make<void>()
      const group = yield* GroupCommit.make(
        options((items) =>
          Effect.andThen(
            Effect.sync(() => writes.push(items)),
            Deferred.await(gate),
          ),
        ),
      )
      const large = "x".repeat(15)
      const waiting = yield* Effect.forEach([large, "ab"], (item) => Effect.forkChild(group.commit(item)))
      yield* Effect.repeat(Effect.sleep(1), { until: () => writes.length === 1 })
      const more = yield* Effect.forkChild(group.commit("y".repeat(18)))
      yield* Effect.yieldNow
      expect(yield* Effect.flip(group.commit("abc"))).toBe("full")
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.joinAll([...waiting, more])
      expect(writes).toEqual([[large], ["ab"], ["y".repeat(18)]])
    }),
  )

  it.live("writes waiting items before its scope closes, and rejects later ones", () =>
    Effect.gen(function* () {
      const written: Array<string> = []
      const scope = yield* Scope.make()
      const group = yield* GroupCommit.make(
        options((items) =>
          Effect.andThen(
            Effect.sleep(5),
            Effect.sync(() => written.push(...items)),
          ),
        ),
      ).pipe(Scope.provide(scope))
      const waiting = yield* Effect.forEach(["a", "b", "c", "d"], (item) =>
        Effect.forkChild(group.commit(item)),
      )
      yield* Effect.yieldNow
      yield* Scope.close(scope, Exit.void)
      expect(written).toEqual(["a", "b", "c", "d"])
      yield* Fiber.joinAll(waiting)
      expect(yield* Effect.flip(group.commit("late"))).toBe("full")
    }),
  )

  // The test clock never advances by an hour, so waiting for it would hang.
  const hour = 3_600_000
  const behindTheFirst = Effect.gen(function* () {
    const writes: Array<ReadonlyArray<string>> = []
    const gate = yield* Deferred.make<void>()
    const group = yield* GroupCommit.make(
      options(
        (items) =>
          Effect.andThen(
            Effect.sync(() => writes.push(items)),
            Deferred.await(gate),
          ),
        hour,
      ),
    )
    const first = yield* Effect.forkChild(group.commit("a"))
    yield* Effect.repeat(Effect.sleep(1), { until: () => writes.length === 1 })
    const second = yield* Effect.forkChild(group.commit("b"))
    yield* Effect.yieldNow
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(first)
    return { group, second, writes }
  })

  it.live("delays a write that follows another one until it is full", () =>
    Effect.gen(function* () {
      const { group, second, writes } = yield* behindTheFirst
      const third = yield* Effect.forkChild(group.commit("c"))
      yield* Effect.sleep(5)
      expect(writes).toEqual([["a"]])
      yield* group.commit("d")
      yield* Fiber.joinAll([second, third])
      expect(writes).toEqual([["a"], ["b", "c", "d"]])
      // No item arrived during that write, so the next one is written alone.
      yield* group.commit("e")
      expect(writes.at(-1)).toEqual(["e"])
    }),
  )

  it.live("writes delayed items immediately when its scope closes", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { second, writes } = yield* behindTheFirst.pipe(Scope.provide(scope))
      yield* Scope.close(scope, Exit.void)
      yield* Fiber.join(second)
      expect(writes).toEqual([["a"], ["b"]])
    }),
  )

  it.effect("rejects items that wait too long behind a hanging write when its scope closes", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const writes: Array<ReadonlyArray<string>> = []
      const gate = yield* Deferred.make<void, string>()
      const group = yield* GroupCommit.make(
        options((items) =>
          Effect.andThen(
            Effect.sync(() => writes.push(items)),
            Deferred.await(gate),
          ),
        ),
      ).pipe(Scope.provide(scope))
      const first = yield* Effect.forkChild(group.commit("a"))
      yield* Effect.repeat(TestClock.withLive(Effect.sleep(1)), { until: () => writes.length === 1 })
      const others = yield* Effect.forEach(["b", "c", "d", "e"], (item) =>
        Effect.forkChild(group.commit(item)),
      )
      yield* Effect.yieldNow
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* TestClock.adjust("5 seconds")
      for (const other of others) expect(yield* Effect.flip(Fiber.join(other))).toBe("full")
      // Its own write may have reached the storage, so it gets that outcome.
      yield* Deferred.fail(gate, "hung")
      expect(yield* Effect.flip(Fiber.join(first))).toBe("hung")
      yield* Fiber.join(closing)
      expect(writes).toEqual([["a"]])
    }),
  )
})
