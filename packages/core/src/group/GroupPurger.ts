/** Purges the data of deleted groups in the background. */
import { DateTime, Effect } from "effect"
import type { Job } from "../background/Job.js"
import { GroupStore } from "./GroupStore.js"

/** Purges all that is currently due, in short steps. Returns the number of rows. */
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

/** Keeps each step short. Purging a report rewrites its segment without the body. */
const batchSize = 100
