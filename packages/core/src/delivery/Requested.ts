/** Deliveries that a user requests and waits for. */
import { DateTime, Duration, Effect, Option } from "effect"
import { ErrataConfig } from "../ErrataConfig.js"
import { OutboxSignal } from "../group/OutboxSignal.js"
import type { Delivery, DeliveryId } from "./Delivery.js"
import { DeliveryStore, type NewDelivery } from "./DeliveryStore.js"

/** The fields of a delivery that a user requests. */
export const asked = { groupId: null, ruleId: null, userId: null, recipient: null, heldBack: null } as const

/**
 * Adds deliveries, waits until a worker has tried each, and returns them. Deliveries that no worker leases in time
 * are returned as pending and tried later. Skips those whose target was deleted.
 */
export const make = Effect.gen(function* () {
  const store = yield* DeliveryStore
  const signal = yield* OutboxSignal
  const { webhooks: settings } = yield* ErrataConfig

  const find = ({ projectId, targetId }: NewDelivery, id: DeliveryId) =>
    Effect.map(store.find(projectId, targetId, id), Option.toArray)

  const isTried = ([delivery]: ReadonlyArray<Delivery>): boolean => delivery?.status !== "pending"

  const waitFor = Effect.fnUntraced(function* (delivery: NewDelivery, id: DeliveryId) {
    const tried = yield* Effect.delay(find(delivery, id), askInterval).pipe(
      Effect.repeat({ until: isTried }),
      Effect.timeoutOption(Duration.sum(settings.attemptTimeout, patience)),
    )
    return Option.isSome(tried) ? tried.value : yield* find(delivery, id)
  })

  return Effect.fnUntraced(function* (deliveries: ReadonlyArray<NewDelivery>) {
    const ids = yield* store.insert(deliveries, yield* DateTime.now)
    yield* signal.raise
    const found = yield* Effect.forEach(
      deliveries,
      (delivery, i) => {
        const id = ids[i] ?? null
        return id === null ? Effect.succeed([]) : waitFor(delivery, id)
      },
      { concurrency: "unbounded" },
    )
    return found.flat()
  })
})

// internal

/** Interval at which results are polled. */
const askInterval = Duration.millis(50)

/** Time for a worker to lease it, in addition to the timeout of the attempt. */
const patience = Duration.seconds(2)
