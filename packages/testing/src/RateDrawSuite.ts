/** The budget of accepted errors per minute, which nodes share. */
import { type RateDraw, RateLimitStore } from "@errata/core/ports"
import { Effect } from "effect"
import { expect } from "vitest"
import { advance, type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"

const draw = (request: Partial<RateDraw>) =>
  Effect.flatMap(RateLimitStore, (window) => window.draw({ ...nothing, ...request }))

const nothing: RateDraw = { limit: 1_000, needed: 0, wanted: 0, returned: { minute: 0, errors: 0 } }

/** Advances to a minute with an unused budget and returns it. */
export const freshMinute = Effect.gen(function* () {
  const { endsIn } = yield* draw({})
  yield* advance(endsIn + 10)
  const { minute, remaining } = yield* draw({})
  expect(remaining).toBe(1_000)
  return minute
})

export const rateDrawSuite: ContractSuite = {
  name: "RateLimitStore.draw",
  cases: [
    contractCase(
      "grants requested slices until none is left, and returns the remaining time",
      Effect.gen(function* () {
        const minute = yield* freshMinute
        const first = yield* draw({ limit: 10, needed: 7 })
        expect(first).toMatchObject({ minute, granted: 7, remaining: 3 })
        expect(first.endsIn).toBeGreaterThan(30_000)
        expect(first.endsIn).toBeLessThanOrEqual(60_000)
        expect(minute % 60_000).toBe(0)
        expect(yield* onSecondNode(draw({ limit: 10, needed: 7 }))).toMatchObject({
          minute,
          granted: 3,
          remaining: 0,
        })
        expect(yield* draw({ limit: 10, needed: 1, wanted: 16 })).toMatchObject({ granted: 0, remaining: 0 })
      }),
    ),

    contractCase(
      "grants at most an eighth of the remaining budget in advance",
      Effect.gen(function* () {
        yield* freshMinute
        expect(yield* draw({ wanted: 5_000 })).toMatchObject({ granted: 125, remaining: 875 })
        expect(yield* draw({ wanted: 100 })).toMatchObject({ granted: 100, remaining: 775 })
        expect(yield* draw({ needed: 2, wanted: 1 })).toMatchObject({ granted: 2, remaining: 773 })
        expect(yield* draw({ limit: 228, wanted: 16 })).toMatchObject({ granted: 1, remaining: 0 })
      }),
    ),

    contractCase(
      "starts again with every minute of the storage's clock",
      Effect.gen(function* () {
        const minute = yield* freshMinute
        expect((yield* draw({ needed: 1_000 })).remaining).toBe(0)
        yield* advance("1 minute")
        expect(yield* onSecondNode(draw({ needed: 1 }))).toMatchObject({
          minute: minute + 60_000,
          granted: 1,
          remaining: 999,
        })
      }),
    ),

    contractCase(
      "takes back a node's unused slices within the same minute only",
      Effect.gen(function* () {
        const minute = yield* freshMinute
        yield* draw({ needed: 1_000 })
        const returned = { minute, errors: 400 }
        expect(yield* draw({ returned })).toMatchObject({ granted: 0, remaining: 400 })
        expect(yield* onSecondNode(draw({ needed: 500 }))).toMatchObject({ granted: 400, remaining: 0 })
        yield* advance("1 minute")
        yield* draw({ needed: 1_000 })
        expect(yield* draw({ returned })).toMatchObject({ granted: 0, remaining: 0 })
        const more = { minute: minute + 60_000, errors: 5_000 }
        expect(yield* draw({ returned: more })).toMatchObject({ granted: 0, remaining: 1_000 })
      }),
    ),

    contractCase(
      "grants nothing above a lowered limit, and the rest of a raised one",
      Effect.gen(function* () {
        yield* freshMinute
        yield* draw({ needed: 600 })
        expect(yield* draw({ limit: 500, needed: 1 })).toMatchObject({ granted: 0, remaining: 0 })
        expect(yield* draw({ limit: 700, needed: 200 })).toMatchObject({ granted: 100, remaining: 0 })
      }),
    ),

    contractCase(
      "grants no more than the limit to several concurrent nodes together",
      Effect.gen(function* () {
        yield* freshMinute
        const some = draw({ limit: 100, needed: 3, wanted: 16 })
        const grants = yield* Effect.all(
          Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? some : onSecondNode(some))),
          { concurrency: "unbounded" },
        )
        let rest = grants.reduce((sum, { granted }) => sum + granted, 0)
        expect(rest).toBeLessThanOrEqual(100)
        for (let i = 0; i < 100; i++) rest += (yield* draw({ limit: 100, needed: 1 })).granted
        expect(rest).toBe(100)
      }),
    ),
  ],
}
