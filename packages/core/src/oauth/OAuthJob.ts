/** Deletes unused clients, and expired codes and tokens. */
import { Effect } from "effect"
import type { Job } from "../background/Job.js"
import * as Lifetimes from "./Lifetimes.js"
import { OAuthStore } from "./OAuthStore.js"

/** Deletes all expired rows in short steps. Returns their number. */
export const expire = Effect.gen(function* () {
  const store = yield* OAuthStore
  let total = 0
  while (true) {
    const expired = yield* store.expire(batchSize, {
      unused: Lifetimes.unusedClient,
      idle: Lifetimes.idleClient,
    })
    total += expired
    if (expired === 0) return total
  }
}).pipe(Effect.withSpan("OAuthJob.expire"))

export const job: Job<Effect.Services<typeof expire>> = {
  name: "forget-oauth",
  run: expire,
}

// internal

const batchSize = 500
