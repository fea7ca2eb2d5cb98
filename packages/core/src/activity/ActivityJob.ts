/** Forgets how many reports came in when, once that is long ago. */
import { DateTime, Effect } from "effect"
import type { Job } from "../background/Job.js"
import { ActivityStore } from "./ActivityStore.js"

/** Removes all there is to remove now, in short steps; answers how many rows that were. */
export const sweep = Effect.gen(function* () {
  const activity = yield* ActivityStore
  let total = 0
  while (true) {
    const forgotten = yield* activity.forget(yield* DateTime.now, batchSize)
    total += forgotten
    if (forgotten === 0) return total
    yield* Effect.yieldNow
  }
}).pipe(Effect.withSpan("ActivityJob.sweep"))

export const job: Job<ActivityStore> = {
  name: "forget-activity",
  interval: ({ backgroundInterval }) => backgroundInterval,
  run: sweep,
}

// internal

const batchSize = 5000
