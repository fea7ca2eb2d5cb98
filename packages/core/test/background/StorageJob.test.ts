import { expect, it } from "@effect/vitest"
import { Storage } from "@errata/core/ports"
import { Effect, Layer } from "effect"
import * as StorageJob from "../../src/background/StorageJob.js"

it.effect("the job prepares the storage on each run", () =>
  Effect.gen(function* () {
    let asked = 0
    const prepare = Effect.sync(() => {
      asked++
    })
    const run = Effect.provide(StorageJob.job.run, Layer.mock(Storage, { prepare }))
    yield* run
    yield* run
    expect(asked).toBe(2)
  }),
)
