/** Deletes old report counts. */
import { DateTime, Effect } from "effect"
import type { Job } from "../background/Job.js"
import { ActivityStore } from "./ActivityStore.js"

/** Deletes all expired counts in short steps. Returns the number of rows. */
export const expire = Effect.gen(function* () {
  const activity = yield* ActivityStore
  let total = 0
  while (true) {
    const forgotten = yield* activity.forget(yield* DateTime.now, batchSize)
    total += forgotten
    if (forgotten === 0) return total
    yield* Effect.yieldNow
  }
}).pipe(Effect.withSpan("ActivityJob.expire"))

export const job: Job<ActivityStore> = {
  name: "forget-activity",
  interval: ({ backgroundInterval }) => backgroundInterval,
  run: expire,
}

// internal

const batchSize = 5000
