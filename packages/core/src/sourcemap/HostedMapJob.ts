/** Removes hosted maps that were fetched long ago, and why others were missing. */
import { Effect } from "effect"
import type { Job } from "../background/Job.js"
import { HostedMapCache } from "./HostedMapCache.js"

/** Removes all there is to remove now, in short steps; answers how many rows that were. */
export const sweep = Effect.gen(function* () {
  const cache = yield* HostedMapCache
  let total = 0
  while (true) {
    const expired = yield* cache.expire(batchSize)
    total += expired
    if (expired === 0) return total
  }
}).pipe(Effect.withSpan("HostedMapJob.sweep"))

export const job: Job<Effect.Services<typeof sweep>> = {
  name: "forget-hosted-maps",
  interval: ({ backgroundInterval }) => backgroundInterval,
  run: sweep,
}

// internal

/** Maps can be large. */
const batchSize = 50
