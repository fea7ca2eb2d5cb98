/** Removes events of consumers that no longer exist, such as those of killed instances. */
import { Effect } from "effect"
import { inSteps, type Job } from "../background/Job.js"
import { GroupEventStore } from "./GroupEventStore.js"

/** Removes all abandoned events in short steps. Returns their number. */
export const expire = Effect.gen(function* () {
  const outbox = yield* GroupEventStore
  return yield* inSteps(outbox.removeAbandoned(batchSize), batchSize)
}).pipe(Effect.withSpan("OutboxJob.expire"))

export const job: Job<GroupEventStore> = {
  name: "forget-events",
  run: expire,
}

// internal

const batchSize = 1000
