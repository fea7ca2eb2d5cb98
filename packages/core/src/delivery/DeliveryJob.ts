/** Deletes old finished deliveries. */
import { Effect } from "effect"
import { inSteps, type Job } from "../background/Job.js"
import { ErrataConfig } from "../ErrataConfig.js"
import { DeliveryStore } from "./DeliveryStore.js"

/** Deletes all expired deliveries in short steps. Returns their number. */
export const expire = Effect.gen(function* () {
  const { webhooks: settings } = yield* ErrataConfig
  const deliveries = yield* DeliveryStore
  return yield* inSteps(deliveries.forget(settings.keepDeliveries, batchSize), batchSize)
}).pipe(Effect.withSpan("DeliveryJob.expire"))

export const job: Job<DeliveryStore> = {
  name: "forget-deliveries",
  run: expire,
}

// internal

const batchSize = 1000
