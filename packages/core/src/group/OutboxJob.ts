/** Removes events of consumers that no longer exist, such as those of killed instances. */
import { Effect } from "effect"
import type { Job } from "../background/Job.js"
import { GroupEventStore } from "./GroupEventStore.js"

/** Removes all abandoned events in short steps. Returns their number. */
export const expire = Effect.gen(function* () {
  const outbox = yield* GroupEventStore
  let total = 0
  while (true) {
    const removed = yield* outbox.removeAbandoned(batchSize)
    total += removed
    if (removed < batchSize) return total
    yield* Effect.yieldNow
  }
}).pipe(Effect.withSpan("OutboxJob.expire"))

export const job: Job<GroupEventStore> = {
  name: "forget-events",
  interval: ({ backgroundInterval }) => backgroundInterval,
  run: expire,
}

// internal

const batchSize = 1000
