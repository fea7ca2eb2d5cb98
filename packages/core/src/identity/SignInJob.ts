/** Deletes expired sessions, links and throttle counters. */
import { Effect } from "effect"
import { inSteps, type Job } from "../background/Job.js"
import { RateLimitStore } from "../storage/RateLimitStore.js"
import { CredentialStore } from "./CredentialStore.js"

/** Deletes all expired rows in short steps. Returns their number. */
export const expire = Effect.gen(function* () {
  const credentials = yield* CredentialStore
  const rateLimits = yield* RateLimitStore
  const expired = yield* inSteps(credentials.expire(batchSize), batchSize)
  return expired + (yield* inSteps(rateLimits.expire(batchSize), batchSize))
}).pipe(Effect.withSpan("SignInJob.expire"))

export const job: Job<Effect.Services<typeof expire>> = {
  name: "forget-sign-ins",
  run: expire,
}

// internal

const batchSize = 500
