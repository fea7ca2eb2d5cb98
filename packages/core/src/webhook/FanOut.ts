/** Turns what was announced into deliveries: one for each webhook that listens, in the order of a group's changes. */
import { Data, DateTime, Effect, Schema } from "effect"
import { DeliveryStore, type NewDelivery } from "../delivery/DeliveryStore.js"
import { ErrataConfig } from "../ErrataConfig.js"
import { GroupEventName } from "../group/GroupEvent.js"
import * as GroupEventDocument from "../group/GroupEventDocument.js"
import { GroupEventStore, type LeasedGroupEvent, webhooksConsumer } from "../group/GroupEventStore.js"
import { WebAddress } from "../group/WebUrl.js"
import * as Transactions from "../storage/Transactions.js"
import { UserStore } from "../user/UserStore.js"
import * as WebhookPayload from "./WebhookPayload.js"
import { type Listener, WebhookStore } from "./WebhookStore.js"

/**
 * Takes what waits, once; answers how many events that were. They leave the outbox in the transaction that writes the
 * deliveries: a node that is killed in between leaves them to another, and nothing is delivered twice for it.
 */
export const fanOutSome = Effect.gen(function* () {
  const { webhooks: settings } = yield* ErrataConfig
  const transaction = yield* Transactions.make
  const outbox = yield* GroupEventStore
  const deliveries = yield* DeliveryStore
  const events = yield* outbox.lease({
    consumer: webhooksConsumer,
    limit: batchSize,
    duration: settings.leaseDuration,
  })
  if (events.length === 0) return 0
  const made = yield* deliveriesOf(events)
  yield* transaction(
    Effect.gen(function* () {
      if (made.length > 0) yield* deliveries.insert(made, yield* DateTime.now)
      if (!(yield* outbox.settle(webhooksConsumer, events))) return yield* new LeaseLost()
    }),
  ).pipe(
    // Somebody else has them, and writes the deliveries.
    Effect.catchTag("LeaseLost", () => Effect.void),
  )
  return events.length
}).pipe(Effect.uninterruptible, Effect.withSpan("FanOut.fanOutSome"))

// internal

/** Few enough for a transaction of some ten milliseconds, with a handful of webhooks for each. */
const batchSize = 200

class LeaseLost extends Data.TaggedError("LeaseLost") {}

const deliveriesOf = Effect.fnUntraced(function* (events: ReadonlyArray<LeasedGroupEvent>) {
  const webhooks = yield* WebhookStore
  const users = yield* UserStore
  const listeners = yield* webhooks.listeners([...new Set(events.map(({ projectId }) => projectId))])
  const told: Array<Told> = []
  for (const event of events.filter(isOfWebhooks)) {
    const interested = listeners.filter((listener) => isInterested(listener, event))
    if (interested.length === 0) continue
    const document = yield* Effect.option(
      Effect.tapError(GroupEventDocument.decode(event.document), () =>
        // One that cannot be read must not keep all others. It says nothing of what stands in it: that may be a secret.
        Effect.annotateLogs(Effect.logError("A group event cannot be read and is not sent"), {
          event: event.event,
          id: event.id,
        }),
      ),
    )
    if (document._tag === "Some") told.push({ event, document: document.value, interested })
  }
  const ids = new Set(told.flatMap(({ document }) => WebhookPayload.usersIn(document)))
  const address = yield* WebAddress
  const names = ids.size === 0 ? new Map() : yield* users.names([...ids])
  return told.flatMap(({ document, event, interested }): ReadonlyArray<NewDelivery> => {
    const listening = interested.filter((listener) => !isTooMild(listener, document))
    if (listening.length === 0) return []
    const requestBody = WebhookPayload.ofDocument(document, names, address)
    return listening.map(({ projectId, webhookId }) => ({
      projectId,
      targetId: webhookId,
      groupId: event.groupId,
      event: event.event,
      ruleId: null,
      userId: null,
      recipient: null,
      resendOf: null,
      requestBody,
      heldBack: null,
    }))
  })
})

type WebhookGroupEvent = LeasedGroupEvent & { readonly event: GroupEventName }

const isEventName = Schema.is(GroupEventName)

/** The storage has no others for this consumer. */
const isOfWebhooks = (event: LeasedGroupEvent): event is WebhookGroupEvent => isEventName(event.event)

interface Told {
  readonly event: WebhookGroupEvent
  readonly document: GroupEventDocument.GroupEventDocument
  readonly interested: ReadonlyArray<Listener>
}

const isInterested = (listener: Listener, { event, projectId }: WebhookGroupEvent): boolean =>
  listener.projectId === projectId && listener.events.includes(event)

/** Projects may want to hear of errors and worse only. */
const isTooMild = (
  { errorAndFatalOnly }: Listener,
  { event: { group } }: GroupEventDocument.GroupEventDocument,
): boolean => errorAndFatalOnly && group.severity !== "error" && group.severity !== "fatal"
