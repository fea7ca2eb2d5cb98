import { describe, expect, it } from "@effect/vitest"
import { Clock, DateTime, type Duration, Effect, Fiber, Layer, Logger, References } from "effect"
import { TestClock } from "effect/testing"
import { StorageError } from "../../src/index.js"
import { SharedClock, Storage } from "../../src/ports.js"
import { withoutClockWarning } from "../support/clockWarning.js"

/** A storage with its own clock, and the time that its answers take. */
const given = Effect.gen(function* () {
  const own = yield* Effect.clockWith(Effect.succeed)
  const storage = { ahead: 0, answersAfter: 0, isAway: false }
  const logs: Array<string> = []
  /** Code that runs on the shared clock cannot adjust the test clock. */
  const pass = (duration: Duration.Input) =>
    Effect.provideService(TestClock.adjust(duration), Clock.Clock, own)
  const logger = Logger.make(({ fiber, message }) => {
    logs.push(`${message} ${JSON.stringify(fiber.getRef(References.CurrentLogAnnotations))}`)
  })
  const now = Effect.suspend(() => {
    if (storage.isAway) {
      return new StorageError({ operation: "now", reason: "unavailable", cause: new Error("away") })
    }
    const time = own.currentTimeMillisUnsafe() + storage.ahead
    const answer = DateTime.makeUnsafe(time)
    return storage.answersAfter === 0 ? Effect.succeed(answer) : Effect.as(pass(storage.answersAfter), answer)
  })
  const layer = SharedClock.layer.pipe(
    Layer.provide(Layer.mock(Storage, { now })),
    Layer.provideMerge(Logger.layer([withoutClockWarning(logger)])),
  )
  /** Milliseconds by which the current clock is ahead of the node's own. */
  const ahead = Effect.map(Clock.currentTimeMillis, (time) => time - own.currentTimeMillisUnsafe())
  return { ahead, layer, logs, pass, storage }
})

describe("SharedClock", () => {
  it.effect("follows the storage's clock from the start, and every minute after it", () =>
    Effect.gen(function* () {
      const { ahead, layer, logs, pass, storage } = yield* given
      storage.ahead = 3_600_000
      yield* Effect.gen(function* () {
        expect(yield* ahead).toBe(3_600_000)
        storage.ahead = -7_200_000
        yield* pass("59 seconds")
        expect(yield* ahead).toBe(3_600_000)
        yield* pass("1 second")
        expect(yield* ahead).toBe(-7_200_000)
        storage.ahead = 0
        yield* pass("1 minute")
        expect(yield* ahead).toBe(0)
      }).pipe(Effect.provide(layer))
      const text = "The clock of this node differs from the storage's. Errata uses the storage's time"
      expect(logs).toEqual(
        [3_600_000, -7_200_000, 0].map((difference_ms) => `${text} ${JSON.stringify({ difference_ms })}`),
      )
    }),
  )

  it.effect("uses the node's clock if the difference is small", () =>
    Effect.gen(function* () {
      const { ahead, layer, logs, storage } = yield* given
      storage.ahead = 999
      expect(yield* Effect.provide(ahead, layer)).toBe(0)
      expect(logs).toEqual([])
    }),
  )

  it.effect("keeps its offset while the storage is unavailable or slow", () =>
    Effect.gen(function* () {
      const { ahead, layer, pass, storage } = yield* given
      storage.ahead = 60_000
      yield* Effect.gen(function* () {
        storage.isAway = true
        storage.ahead = 0
        yield* pass("1 minute")
        expect(yield* ahead).toBe(60_000)
        storage.isAway = false
        storage.answersAfter = 5_000
        yield* pass("1 minute")
        expect(yield* ahead).toBe(60_000)
      }).pipe(Effect.provide(layer))
    }),
  )

  it.effect("sleeps as long as the node's clock", () =>
    Effect.gen(function* () {
      const { layer, pass, storage } = yield* given
      storage.ahead = 3_600_000
      yield* Effect.gen(function* () {
        const waiting = yield* Effect.forkChild(Effect.sleep("10 seconds"))
        yield* Effect.yieldNow
        yield* pass("9 seconds")
        expect(waiting.pollUnsafe()).toBeUndefined()
        yield* pass("1 second")
        yield* Fiber.await(waiting)
      }).pipe(Effect.provide(layer))
    }),
  )
})
