/** Removes expired mutes and writes their end to the outbox. They have no effect from the moment they expire. */
import { DateTime, Effect } from "effect"
import { inSteps, type Job } from "../background/Job.js"
import * as Transactions from "../storage/Transactions.js"
import * as GroupLifecycle from "./GroupLifecycle.js"
import { GroupStore } from "./GroupStore.js"
import * as SaveTransitions from "./SaveTransitions.js"

/** Removes all expired mutes in short transactions. Returns the number of groups. */
export const expire = Effect.gen(function* () {
  const transaction = yield* Transactions.make
  const groups = yield* GroupStore
  const save = yield* SaveTransitions.make
  const now = yield* DateTime.now
  const expireSome = transaction(
    Effect.gen(function* () {
      const locked = yield* groups.lockExpiredMutes(now, batchSize)
      yield* save(locked, (group) => GroupLifecycle.expireMutes(group, now), now)
      return locked.length
    }),
  )
  return yield* inSteps(expireSome, batchSize)
}).pipe(Effect.withSpan("MuteJob.expire"))

export const job: Job<Effect.Services<typeof expire>> = {
  name: "clear-mutes",
  run: expire,
}

// internal

const batchSize = 200
