import { describe, expect, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import type { IntakePaused } from "../../src/ingest/IntakePaused.js"
import { RateBudget } from "../../src/ingest/RateBudget.js"
import { grantOf, type RateDraw } from "../../src/storage/RateLimitStore.js"
import { StorageError } from "../../src/storage/StorageError.js"

/** A rate window without other nodes, which responds when the gate is open. */
const window = (limit: number) => {
  const draws: Array<RateDraw> = []
  const state = { left: limit, minute: 60_000, failing: false, gate: Effect.void as Effect.Effect<void> }
  const draw = (request: RateDraw) =>
    Effect.suspend(() => {
      draws.push(request)
      return Effect.flatMap(state.gate, () => {
        if (state.failing) {
          return new StorageError({ operation: "draw", reason: "unavailable", cause: new Error("away") })
        }
        if (request.returned.minute === state.minute) state.left += request.returned.errors
        const granted = grantOf(state.left, request)
        state.left -= granted
        return Effect.succeed({ minute: state.minute, granted, remaining: state.left, endsIn: 30_000 })
      })
    })
  return { draws, state, port: { draw } }
}

type Decide = (refused: IntakePaused | StorageError | null) => void

/** Spends at once and reports the outcome. */
const spend = (budget: RateBudget, errors: number, decide: Decide): void => {
  Effect.runFork(budget.spend(errors)).addObserver((exit) =>
    decide(Exit.isSuccess(exit) ? null : (Cause.squash(exit.cause) as IntakePaused | StorageError)),
  )
}

/** Counts outcomes; null is accepted. */
const outcomes = () => {
  const seen: Array<string | null> = []
  const decide: Decide = (refused) => seen.push(refused === null ? null : refused._tag)
  return { seen, decide }
}

/** Waits for started fibers. */
const settled = Effect.repeat(Effect.yieldNow, { times: 50 })

describe("RateBudget", () => {
  it.effect("spends from memory what it has drawn ahead", () =>
    Effect.gen(function* () {
      const { draws, port } = window(10_000)
      const budget = yield* RateBudget.make(10_000, port)
      const { decide, seen } = outcomes()
      spend(budget, 1, decide)
      yield* settled
      expect(seen).toEqual([null])
      for (let i = 0; i < 10; i++) spend(budget, 1, decide)
      expect(seen).toEqual(Array.from({ length: 11 }, () => null))
      expect(draws).toHaveLength(1)
    }),
  )

  it.effect("serves all waiting requests from the next draw, and rejects those beyond it", () =>
    Effect.gen(function* () {
      const { draws, port, state } = window(20)
      const gate = yield* Deferred.make<void>()
      state.gate = Deferred.await(gate)
      const budget = yield* RateBudget.make(20, port)
      const { decide, seen } = outcomes()
      for (let i = 0; i < 25; i++) spend(budget, 1, decide)
      yield* settled
      expect(draws).toHaveLength(1)
      yield* Deferred.succeed(gate, undefined)
      yield* settled
      expect(seen.filter((each) => each === null)).toHaveLength(20)
      expect(seen.slice(20)).toEqual(Array.from({ length: 5 }, () => "IntakePaused"))
      expect(draws.length).toBeLessThan(4)
      // The limit is known from here on.
      const before = draws.length
      for (let i = 0; i < 100; i++) spend(budget, 1, decide)
      expect(seen).toHaveLength(125)
      expect(draws).toHaveLength(before)
    }),
  )

  it.effect("rejects a request above the limit of a minute, and returns the budget", () =>
    Effect.gen(function* () {
      const { port, state } = window(5)
      const budget = yield* RateBudget.make(5, port)
      const { decide, seen } = outcomes()
      spend(budget, 6, decide)
      yield* settled
      expect(seen).toEqual(["IntakePaused"])
      yield* budget.tick(5)
      yield* settled
      expect(state.left).toBe(5)
    }),
  )

  it.effect("returns unused slices, and checks again for slices that other nodes returned", () =>
    Effect.gen(function* () {
      const { draws, port, state } = window(1_000)
      const budget = yield* RateBudget.make(1_000, port)
      const { decide, seen } = outcomes()
      spend(budget, 1, decide)
      yield* settled
      expect(state.left).toBe(1_000 - 16)
      yield* budget.tick(1_000)
      yield* budget.tick(1_000)
      yield* settled
      yield* budget.tick(1_000)
      yield* settled
      expect(state.left).toBe(999)

      state.left = 0
      spend(budget, 1, decide)
      yield* settled
      spend(budget, 1, decide)
      expect(seen).toEqual([null, "IntakePaused", "IntakePaused"])
      state.left = 3
      const before = draws.length
      yield* budget.tick(1_000)
      yield* settled
      expect(draws).toHaveLength(before + 1)
      for (let i = 0; i < 4; i++) spend(budget, 1, decide)
      yield* settled
      expect(seen.slice(3)).toEqual([null, null, null, "IntakePaused"])
    }),
  )

  it.effect("starts again when its minute ends, by its own clock at the latest", () =>
    Effect.gen(function* () {
      const { draws, port, state } = window(1)
      const budget = yield* RateBudget.make(1, port)
      const { decide, seen } = outcomes()
      spend(budget, 1, decide)
      yield* settled
      spend(budget, 1, (refused) => {
        expect(refused).toMatchObject({ reason: "rate", retryAfterSeconds: 30 })
        decide(refused)
      })
      yield* settled
      yield* TestClock.adjust("29 seconds")
      spend(budget, 1, (refused) => {
        expect(refused).toMatchObject({ retryAfterSeconds: 1 })
        decide(refused)
      })
      const before = draws.length
      state.minute += 60_000
      state.left = 1
      yield* TestClock.adjust("1 second")
      spend(budget, 1, decide)
      yield* settled
      expect(draws.length).toBe(before + 1)
      expect(seen).toEqual([null, "IntakePaused", "IntakePaused", null])
    }),
  )

  it.effect(
    "answers each request once, also requests made inside a callback with a synchronous storage",
    () =>
      Effect.gen(function* () {
        const { port } = window(40)
        const budget = yield* RateBudget.make(40, port)
        const { decide, seen } = outcomes()
        const again =
          (left: number): Decide =>
          (refused) => {
            decide(refused)
            if (left > 0) spend(budget, 1, again(left - 1))
          }
        for (let i = 0; i < 5; i++) spend(budget, 1, again(9))
        yield* settled
        expect(seen).toHaveLength(50)
        expect(seen.filter((each) => each === null)).toHaveLength(40)
      }),
  )

  it.effect("fails waiting requests if the storage fails, and draws again for the next one", () =>
    Effect.gen(function* () {
      const { port, state } = window(10)
      const budget = yield* RateBudget.make(10, port)
      const { decide, seen } = outcomes()
      state.failing = true
      spend(budget, 1, decide)
      spend(budget, 1, decide)
      yield* settled
      expect(seen).toEqual(["StorageError", "StorageError"])
      state.failing = false
      spend(budget, 1, decide)
      yield* settled
      expect(seen[2]).toBe(null)
    }),
  )

  it.effect("returns unused slices when it is closed", () =>
    Effect.gen(function* () {
      const { port, state } = window(100)
      const budget = yield* RateBudget.make(100, port)
      spend(budget, 4, () => {})
      yield* settled
      yield* budget.close
      expect(state.left).toBe(96)
    }),
  )
})
