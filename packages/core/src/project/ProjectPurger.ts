/** Purges deleted projects in the background. */
import { DateTime, Effect } from "effect"
import { inSteps, type Job } from "../background/Job.js"
import { ProjectStore } from "./ProjectStore.js"

/** Deletes all purgeable rows in short steps. Returns their number. */
export const purge = Effect.gen(function* () {
  const projects = yield* ProjectStore
  return yield* inSteps(projects.purge(batchSize, yield* DateTime.now), 1)
}).pipe(Effect.withSpan("ProjectPurger.purge"))

export const job: Job<Effect.Services<typeof purge>> = {
  name: "purge-projects",
  run: purge,
}

// internal

/** Reports can be large: few enough to be gone in a moment, with intake going on beside it. */
const batchSize = 500
