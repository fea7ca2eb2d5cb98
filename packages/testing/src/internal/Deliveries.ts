/** Deliveries to webhooks. */
import { type AttemptResult, type DeliveryLeaseRequest, DeliveryStore } from "@errata/core/ports"
import { Duration, Effect } from "effect"
import { advance } from "../ContractCase.js"

export const lease = (request: Partial<DeliveryLeaseRequest> = {}) =>
  Effect.flatMap(DeliveryStore, (deliveries) =>
    deliveries.lease({
      limit: 1_000_000,
      perTarget: 1_000_000,
      exceptions: [],
      duration: Duration.minutes(1),
      ...request,
    }),
  )

/** The result of an attempt, by default a successful one. */
export const attempted = (result: Partial<AttemptResult> = {}): AttemptResult => ({
  status: "succeeded",
  responseStatus: 204,
  error: null,
  durationMs: 7,
  pause: null,
  ...result,
})

/** Completes all deliveries left by other cases, leased or not. */
export const emptyDeliveries = Effect.gen(function* () {
  const deliveries = yield* DeliveryStore
  yield* advance("1 day")
  while (true) {
    const leased = yield* lease()
    if (leased.length === 0) return
    yield* deliveries.settle(leased.map((delivery) => ({ delivery, result: attempted() })))
  }
})
