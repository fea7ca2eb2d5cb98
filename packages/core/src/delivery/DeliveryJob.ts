/** Forgets deliveries that were done with long ago. */
import { Effect } from "effect"
import type { Job } from "../background/Job.js"
import { ErrataConfig } from "../ErrataConfig.js"
import { DeliveryStore } from "./DeliveryStore.js"

/** Removes all there is to remove now, in short steps; answers how many deliveries that were. */
export const sweep = Effect.gen(function* () {
  const { webhooks: settings } = yield* ErrataConfig
  const deliveries = yield* DeliveryStore
  let total = 0
  while (true) {
    const forgotten = yield* deliveries.forget(settings.keepDeliveries, batchSize)
    total += forgotten
    if (forgotten < batchSize) return total
    yield* Effect.yieldNow
  }
}).pipe(Effect.withSpan("DeliveryJob.sweep"))

export const job: Job<DeliveryStore> = {
  name: "forget-deliveries",
  interval: ({ backgroundInterval }) => backgroundInterval,
  run: sweep,
}

// internal

const batchSize = 1000
