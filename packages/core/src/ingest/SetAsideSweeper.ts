/** Forgets what was set aside so long ago that nobody will ask for it. */
import { DateTime, Effect } from "effect"
import type { Job } from "../background/Job.js"
import { ErrataConfig } from "../ErrataConfig.js"
import { PendingPayloads } from "./PendingPayloads.js"

/** Forgets what is too old now, in short steps; answers how many payloads those were. */
export const sweep = Effect.gen(function* () {
  const { setAside } = yield* ErrataConfig
  const pending = yield* PendingPayloads
  const before = DateTime.subtractDuration(yield* DateTime.now, setAside.maxAge)
  let total = 0
  while (true) {
    const expired = yield* pending.expireSetAside(before, batchSize)
    total += expired
    if (expired < batchSize) break
  }
  if (total > 0)
    yield* Effect.annotateLogs(Effect.logInfo("Expired payloads deleted from the dead-letter queue"), {
      payloads: total,
    })
  return total
}).pipe(Effect.withSpan("SetAsideSweeper.sweep"))

export const job: Job<Effect.Services<typeof sweep>> = {
  name: "forget-set-aside",
  interval: ({ purgeInterval }) => purgeInterval,
  run: sweep,
}

// internal

const batchSize = 100
