import { expect, it } from "@effect/vitest"
import { StorageError, StorageUpkeep, StorageUpkeeper } from "@errata/core"
import { Effect, Layer, Logger, TestClock } from "effect"

it.scoped("the storage is asked to prepare every hour, also after it could not", () =>
  Effect.gen(function* () {
    let asked = 0
    const prepare = Effect.suspend(() => {
      asked++
      return asked === 1
        ? new StorageError({ operation: "prepare", reason: "rejected", cause: new Error("no room") })
        : Effect.void
    })
    yield* Layer.build(Layer.provide(StorageUpkeeper.layer, Layer.succeed(StorageUpkeep, { prepare })))
    expect(asked).toBe(0)
    for (const hour of [1, 2, 3]) {
      yield* TestClock.adjust("1 hour")
      expect(asked).toBe(hour)
    }
  }).pipe(Effect.provide(Logger.remove(Logger.defaultLogger))),
)
