/** Deletes old finished deliveries. */
import { Effect } from "effect"
import type { Job } from "../background/Job.js"
import { ErrataConfig } from "../ErrataConfig.js"
import { DeliveryStore } from "./DeliveryStore.js"

/** Deletes all expired deliveries in short steps. Returns their number. */
export const expire = Effect.gen(function* () {
  const { webhooks: settings } = yield* ErrataConfig
  const deliveries = yield* DeliveryStore
  let total = 0
  while (true) {
    const forgotten = yield* deliveries.forget(settings.keepDeliveries, batchSize)
    total += forgotten
    if (forgotten < batchSize) return total
    yield* Effect.yieldNow
  }
}).pipe(Effect.withSpan("DeliveryJob.expire"))

export const job: Job<DeliveryStore> = {
  name: "forget-deliveries",
  interval: ({ backgroundInterval }) => backgroundInterval,
  run: expire,
}

// internal

const batchSize = 1000
