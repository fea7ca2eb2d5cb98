/** Purges deleted projects in the background. */
import { DateTime, Effect } from "effect"
import type { Job } from "../background/Job.js"
import { ProjectStore } from "./ProjectStore.js"

/** Deletes all purgeable rows in short steps. Returns their number. */
export const purge = Effect.gen(function* () {
  const projects = yield* ProjectStore
  const now = yield* DateTime.now
  let total = 0
  while (true) {
    const purged = yield* projects.purge(batchSize, now)
    if (purged === 0) return total
    total += purged
    yield* Effect.yieldNow
  }
}).pipe(Effect.withSpan("ProjectPurger.purge"))

export const job: Job<Effect.Services<typeof purge>> = {
  name: "purge-projects",
  interval: ({ backgroundInterval }) => backgroundInterval,
  run: purge,
}

// internal

/** Reports can be large: few enough to be gone in a moment, with intake going on beside it. */
const batchSize = 500
