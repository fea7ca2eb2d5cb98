/** Purges the data of deleted groups in the background. */
import { DateTime, Effect } from "effect"
import { inSteps, type Job } from "../background/Job.js"
import { GroupStore } from "./GroupStore.js"

/** Purges all that is currently due, in short steps. Returns the number of rows. */
export const purge = Effect.gen(function* () {
  const groups = yield* GroupStore
  return yield* inSteps(groups.purge(batchSize, yield* DateTime.now), 1)
}).pipe(Effect.withSpan("GroupPurger.purge"))

export const job: Job<Effect.Services<typeof purge>> = {
  name: "purge-groups",
  run: purge,
}

// internal

/** Keeps each step short. Purging a report rewrites its segment without the body. */
const batchSize = 100
