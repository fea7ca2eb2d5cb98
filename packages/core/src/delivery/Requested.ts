/** Deliveries that a person requests and waits for. */
import { DateTime, Duration, Effect } from "effect"
import { ErrataConfig } from "../ErrataConfig.js"
import { OutboxSignal } from "../group/OutboxSignal.js"
import type { Delivery, DeliveryId } from "./Delivery.js"
import { DeliveryStore, type NewDelivery } from "./DeliveryStore.js"

/** The fields of a delivery that a person requests. */
export const asked = { groupId: null, ruleId: null, userId: null, recipient: null, heldBack: null } as const

/**
 * Adds deliveries, and waits until a worker has tried each of them; answers them as they are then. One that no worker takes in
 * time is answered as pending, and is tried later. Those whose target is gone are left out.
 */
export const make = Effect.gen(function* () {
  const store = yield* DeliveryStore
  const signal = yield* OutboxSignal
  const { webhooks: settings } = yield* ErrataConfig

  const find = ({ projectId, targetId }: NewDelivery, id: DeliveryId) =>
    Effect.map(store.find(projectId, targetId, id), (found) => (found._tag === "Some" ? [found.value] : []))

  const isTried = ([delivery]: ReadonlyArray<Delivery>): boolean => delivery?.status !== "pending"

  const waitFor = Effect.fnUntraced(function* (delivery: NewDelivery, id: DeliveryId) {
    const tried = yield* Effect.delay(find(delivery, id), askInterval).pipe(
      Effect.repeat({ until: isTried }),
      Effect.timeoutOption(Duration.sum(settings.attemptTimeout, patience)),
    )
    return tried._tag === "Some" ? tried.value : yield* find(delivery, id)
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

/** How often a worker's result is looked for. */
const askInterval = Duration.millis(50)

/** For the worker to take it, besides the time that the attempt may take. */
const patience = Duration.seconds(2)
