/** Deletes expired hosted maps and failures to fetch one. */
import { Effect } from "effect"
import { inSteps, type Job } from "../background/Job.js"
import { SourcemapStore } from "./SourcemapStore.js"

/** Deletes all expired rows in short steps. Returns their number. */
export const expire = Effect.gen(function* () {
  const cache = yield* SourcemapStore
  return yield* inSteps(cache.expireMaps(batchSize), 1)
}).pipe(Effect.withSpan("HostedMapJob.expire"))

export const job: Job<Effect.Services<typeof expire>> = {
  name: "forget-hosted-maps",
  run: expire,
}

// internal

/** Maps can be large. */
const batchSize = 50
