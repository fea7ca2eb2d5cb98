import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { StorageError } from "../../src/index.js"
import { Storage } from "../../src/ports.js"
import * as Transactions from "../../src/storage/Transactions.js"

const failure = (reason: StorageError["reason"]) =>
  new StorageError({ operation: "test", reason, cause: new Error(reason) })

/** Transactions on a storage that counts them, nested ones too. */
const given = Effect.gen(function* () {
  const counts = { transactions: 0 }
  const storage = Layer.mock(Storage, {
    transaction: (effect) =>
      Effect.suspend(() => {
        counts.transactions++
        return effect
      }),
  })
  const transaction = yield* Effect.provide(Transactions.make, storage)
  return { counts, transaction }
})

/** The outcome once all waiting is over. */
const finished = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Effect.result(effect))
    yield* TestClock.adjust("10 seconds")
    return yield* Fiber.join(fiber)
  })

describe("Transactions", () => {
  it.effect("are retried after conflicts", () =>
    Effect.gen(function* () {
      const { counts, transaction } = yield* given
      let runs = 0
      const effect = Effect.suspend(() => (++runs < 4 ? failure("conflict") : Effect.succeed("done")))
      expect(yield* finished(transaction(effect))).toMatchObject({ success: "done" })
      expect([runs, counts.transactions]).toEqual([4, 4])
    }),
  )

  it.effect("fail after several conflicts", () =>
    Effect.gen(function* () {
      const { counts, transaction } = yield* given
      const outcome = yield* finished(transaction(failure("conflict")))
      expect(outcome).toMatchObject({ failure: { _tag: "StorageError", reason: "conflict" } })
      expect(counts.transactions).toBe(7)
    }),
  )

  it.effect("are not retried after other failures", () =>
    Effect.gen(function* () {
      const { counts, transaction } = yield* given
      for (const error of [failure("rejected"), failure("unavailable"), { reason: "conflict" }]) {
        expect(yield* finished(transaction(Effect.fail(error)))).toMatchObject({ failure: error })
      }
      expect(counts.transactions).toBe(3)
    }),
  )

  it.effect("are retried as a whole after a conflict in a nested transaction", () =>
    Effect.gen(function* () {
      const { transaction } = yield* given
      const runs: Array<string> = []
      const inner = transaction(
        Effect.suspend(() => {
          runs.push("inner")
          return runs.length < 3 ? failure("conflict") : Effect.void
        }),
      )
      const outer = transaction(
        Effect.andThen(
          Effect.sync(() => runs.push("outer")),
          inner,
        ),
      )
      expect(yield* finished(outer)).toMatchObject({ _tag: "Success" })
      expect(runs).toEqual(["outer", "inner", "outer", "inner"])
    }),
  )
})
