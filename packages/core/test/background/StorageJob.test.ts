import { expect, it } from "@effect/vitest"
import { StorageJob } from "@errata/core/internal"
import { StorageUpkeep } from "@errata/core/ports"
import { Effect } from "effect"

it.effect("the storage is asked to prepare each time that the work is due", () =>
  Effect.gen(function* () {
    let asked = 0
    const prepare = Effect.sync(() => {
      asked++
    })
    const run = Effect.provideService(StorageJob.job.run, StorageUpkeep, {
      prepare,
      archive: () => Effect.void,
    })
    yield* run
    yield* run
    expect(asked).toBe(2)
  }),
)
