/** Deletes expired sessions, links and throttle counters. */
import { Effect } from "effect"
import type { Job } from "../background/Job.js"
import { RateLimitStore } from "../storage/RateLimitStore.js"
import { CredentialStore } from "./CredentialStore.js"

/** Deletes all expired rows in short steps. Returns their number. */
export const expire = Effect.gen(function* () {
  const stores = [yield* CredentialStore, yield* RateLimitStore]
  let total = 0
  for (const store of stores) {
    while (true) {
      const expired = yield* store.expire(batchSize)
      total += expired
      if (expired < batchSize) break
    }
  }
  return total
}).pipe(Effect.withSpan("SignInJob.expire"))

export const job: Job<Effect.Services<typeof expire>> = {
  name: "forget-sign-ins",
  run: expire,
}

// internal

const batchSize = 500
