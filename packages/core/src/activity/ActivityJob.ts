/** Deletes old report counts. */
import { DateTime, Effect } from "effect"
import { inSteps, type Job } from "../background/Job.js"
import { ActivityStore } from "./ActivityStore.js"

/** Deletes all expired counts in short steps. Returns the number of rows. */
export const expire = Effect.gen(function* () {
  const activity = yield* ActivityStore
  const step = Effect.flatMap(DateTime.now, (now) => activity.forget(now, batchSize))
  return yield* inSteps(step, 1)
}).pipe(Effect.withSpan("ActivityJob.expire"))

export const job: Job<ActivityStore> = {
  name: "forget-activity",
  run: expire,
}

// internal

const batchSize = 5000
