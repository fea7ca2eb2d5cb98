/** Calls that use much memory: waiting for a slot, and waiting for senders. */

import { describe, expect, it } from "@effect/vitest"
import type { UserId } from "@errata/core"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as BodyPieces from "../../src/upload/BodyPieces.js"
import * as Slots from "../../src/upload/Slots.js"
import { ok } from "../../src/upload/UploadAnswer.js"
import * as UploadFailures from "../../src/upload/UploadFailures.js"

const [user, other] = [1, 2] as ReadonlyArray<number> as [UserId, UserId]

describe("slots", () => {
  it.effect("make clients retry later while all are taken, and admit them when one is free", () =>
    Effect.gen(function* () {
      const slots = Slots.make({ count: 2, perOwner: 2, patience: "15 seconds" })
      const call = UploadFailures.handled(slots.use(other, Effect.succeed(ok([]))))
      const taken = yield* forkAll([slots.use(user, Effect.never), slots.use(user, Effect.never)])
      const waiting = yield* Effect.forkChild(call)
      yield* TestClock.adjust("15 seconds")
      expect(yield* Fiber.join(waiting)).toMatchObject({
        status: 503,
        headers: { "retry-after": "2" },
        document: { detail: "Too many requests are running. Try again later" },
      })
      const later = yield* Effect.forkChild(call)
      yield* TestClock.adjust("14 seconds")
      yield* Fiber.interruptAll(taken)
      expect(yield* Fiber.join(later)).toMatchObject({ status: 200 })
    }),
  )

  it.effect("are reserved for others if one user has many calls", () =>
    Effect.gen(function* () {
      const slots = Slots.make({ count: 2, perOwner: 1, patience: "15 seconds" })
      const many = yield* forkAll([1, 2, 3].map(() => slots.use(user, Effect.never)))
      expect(yield* slots.use(other, Effect.succeed("done"))).toBe("done")
      yield* Fiber.interruptAll(many)
      expect(yield* slots.use(user, Effect.succeed("done"))).toBe("done")
    }),
  )
})

describe("pieces of a body", () => {
  it.effect("have a timeout each", () =>
    Effect.gen(function* () {
      const pieces = [new Uint8Array([1]), new Uint8Array([2])]
      const slow = {
        next: Effect.suspend(() => {
          const piece = pieces.shift()
          return piece === undefined ? Effect.never : Effect.delay(Effect.succeed(piece), "14 seconds")
        }),
        discard: () => {},
      }
      const { next } = BodyPieces.within(slow, "15 seconds")
      const reading = yield* Effect.forkChild(Effect.all([next, next]))
      yield* TestClock.adjust("14 seconds")
      yield* TestClock.adjust("14 seconds")
      expect((yield* Fiber.join(reading)).map((piece) => piece?.[0])).toEqual([1, 2])
      const silent = yield* Effect.forkChild(UploadFailures.handled(Effect.as(next, ok([]))))
      yield* TestClock.adjust("15 seconds")
      expect(yield* Fiber.join(silent)).toMatchObject({
        status: 400,
        document: { detail: "The body arrived too slowly" },
      })
    }),
  )
})

// internal

/** They run until they wait. */
const forkAll = <A, E, R>(effects: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.forEach(effects, (effect) => Effect.forkChild(effect, { startImmediately: true }))
