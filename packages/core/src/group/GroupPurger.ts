/** Removes what discarded groups have left, in the background. */
import { DateTime, Effect } from "effect"
import type { Job } from "../background/Job.js"
import { GroupStore } from "./GroupStore.js"

/** Removes all there is to remove now, in short steps; answers how many rows that were. */
export const purge = Effect.gen(function* () {
  const groups = yield* GroupStore
  const now = yield* DateTime.now
  let total = 0
  while (true) {
    const purged = yield* groups.purge(batchSize, now)
    if (purged === 0) return total
    total += purged
    yield* Effect.yieldNow
  }
}).pipe(Effect.withSpan("GroupPurger.purge"))

export const job: Job<Effect.Services<typeof purge>> = {
  name: "purge-groups",
  interval: ({ backgroundInterval }) => backgroundInterval,
  run: purge,
}

// internal

/** Reports whose segments are written again without their bodies: few enough for a moment. */
const batchSize = 100
