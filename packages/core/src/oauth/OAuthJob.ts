/** Deletes unused clients, and expired codes and tokens. */
import { Effect } from "effect"
import { inSteps, type Job } from "../background/Job.js"
import * as Lifetimes from "./Lifetimes.js"
import { OAuthStore } from "./OAuthStore.js"

/** Deletes all expired rows in short steps. Returns their number. */
export const expire = Effect.gen(function* () {
  const store = yield* OAuthStore
  const step = store.expire(batchSize, { unused: Lifetimes.unusedClient, idle: Lifetimes.idleClient })
  return yield* inSteps(step, 1)
}).pipe(Effect.withSpan("OAuthJob.expire"))

export const job: Job<Effect.Services<typeof expire>> = {
  name: "forget-oauth",
  run: expire,
}

// internal

const batchSize = 500
