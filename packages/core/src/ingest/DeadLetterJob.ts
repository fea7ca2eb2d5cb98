/** Deletes expired dead letters. */
import { DateTime, Effect } from "effect"
import { inSteps, type Job } from "../background/Job.js"
import { ErrataConfig } from "../ErrataConfig.js"
import { PendingPayloads } from "./PendingPayloads.js"

/** Deletes all expired dead letters in short steps. Returns their number. */
export const expire = Effect.gen(function* () {
  const { deadLetters } = yield* ErrataConfig
  const pending = yield* PendingPayloads
  const before = DateTime.subtractDuration(yield* DateTime.now, deadLetters.maxAge)
  const total = yield* inSteps(pending.expireDeadLetters(before, batchSize), batchSize)
  if (total > 0)
    yield* Effect.annotateLogs(Effect.logInfo("Expired dead letters deleted"), {
      payloads: total,
    })
  return total
}).pipe(Effect.withSpan("DeadLetterJob.expire"))

export const job: Job<Effect.Services<typeof expire>> = {
  name: "expire-dead-letters",
  run: expire,
}

// internal

const batchSize = 100
