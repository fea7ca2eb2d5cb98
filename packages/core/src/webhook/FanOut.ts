/** Creates deliveries from outbox events: one per subscribed webhook, in the order of a group's changes. */
import { DateTime, Effect, Option, Schema } from "effect"
import { DeliveryStore, type NewDelivery } from "../delivery/DeliveryStore.js"
import { isErrorOrFatal } from "../event/Severities.js"
import { GroupEventName } from "../group/GroupEvent.js"
import type * as GroupEventDocument from "../group/GroupEventDocument.js"
import { type LeasedGroupEvent, webhooksConsumer } from "../group/GroupEventStore.js"
import * as OutboxConsumer from "../group/OutboxConsumer.js"
import { WebAddress } from "../group/WebUrl.js"
import { type Listener, TargetStore } from "../notification/TargetStore.js"
import { UserStore } from "../user/UserStore.js"
import * as WebhookPayload from "./WebhookPayload.js"

/** Processes waiting events once. Returns their number. See `OutboxConsumer`. */
export const fanOutSome = Effect.gen(function* () {
  const deliveries = yield* DeliveryStore
  return yield* OutboxConsumer.consumeSome(webhooksConsumer, deliveriesOf, (made) =>
    made.length === 0 ? Effect.void : Effect.flatMap(DateTime.now, (now) => deliveries.insert(made, now)),
  )
}).pipe(Effect.withSpan("FanOut.fanOutSome"))

// internal

const deliveriesOf = Effect.fnUntraced(function* (events: ReadonlyArray<LeasedGroupEvent>) {
  const targets = yield* TargetStore
  const users = yield* UserStore
  const listeners = yield* targets.listeners([...new Set(events.map(({ projectId }) => projectId))])
  const told: Array<Told> = []
  for (const event of events.filter(isOfWebhooks)) {
    const interested = listeners.filter((listener) => isInterested(listener, event))
    if (interested.length === 0) continue
    const document = yield* OutboxConsumer.documentOf(event)
    if (Option.isSome(document)) told.push({ event, document: document.value, interested })
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

/** The storage has only these events for this consumer. */
const isOfWebhooks = (event: LeasedGroupEvent): event is WebhookGroupEvent => isEventName(event.event)

interface Told {
  readonly event: WebhookGroupEvent
  readonly document: GroupEventDocument.GroupEventDocument
  readonly interested: ReadonlyArray<Listener>
}

const isInterested = (listener: Listener, { event, projectId }: WebhookGroupEvent): boolean =>
  listener.projectId === projectId && listener.events.includes(event)

/** True if the project wants only errors and fatal errors, and this is neither. */
const isTooMild = (
  { errorAndFatalOnly }: Listener,
  { event: { group } }: GroupEventDocument.GroupEventDocument,
): boolean => errorAndFatalOnly && !isErrorOrFatal(group.severity)
