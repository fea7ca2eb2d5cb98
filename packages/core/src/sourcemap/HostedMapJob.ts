/** Deletes expired hosted maps and failures to fetch one. */
import { Effect } from "effect"
import type { Job } from "../background/Job.js"
import { SourcemapStore } from "./SourcemapStore.js"

/** Deletes all expired rows in short steps. Returns their number. */
export const expire = Effect.gen(function* () {
  const cache = yield* SourcemapStore
  let total = 0
  while (true) {
    const expired = yield* cache.expireMaps(batchSize)
    total += expired
    if (expired === 0) return total
  }
}).pipe(Effect.withSpan("HostedMapJob.expire"))

export const job: Job<Effect.Services<typeof expire>> = {
  name: "forget-hosted-maps",
  run: expire,
}

// internal

/** Maps can be large. */
const batchSize = 50
