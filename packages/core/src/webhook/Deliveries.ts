import { Context, DateTime, Duration, Effect, Layer, Option, Schema } from "effect"
import type { AuthorizedProject } from "../access/AccessPolicy.js"
import { userIdOf } from "../access/Actor.js"
import { DeliveryId } from "../delivery/Delivery.js"
import { type DeliveryFilter, DeliveryStore, type NewDelivery } from "../delivery/DeliveryStore.js"
import { ErrataConfig } from "../ErrataConfig.js"
import { OutboxSignal } from "../group/OutboxSignal.js"
import * as Page from "../storage/Page.js"
import { UserStore } from "../user/UserStore.js"
import type { WebhookId } from "./Webhook.js"
import * as WebhookPayload from "./WebhookPayload.js"
import { WebhookStore } from "./WebhookStore.js"
import { existing, WebhookNotFound, Webhooks } from "./Webhooks.js"

/** No such delivery to the webhook. */
export class DeliveryNotFound extends Schema.TaggedError<DeliveryNotFound>()("DeliveryNotFound", {
  deliveryId: DeliveryId,
}) {}

/** What was sent, or is to be sent, to the webhooks of a project. */
export class Deliveries extends Context.Service<Deliveries>()("@errata/core/webhook/Deliveries", {
  make: Effect.gen(function* () {
    const webhooks = yield* Webhooks
    const store = yield* WebhookStore
    const deliveries = yield* DeliveryStore
    const users = yield* UserStore
    const signal = yield* OutboxSignal
    const { webhooks: settings } = yield* ErrataConfig

    /** Newest first. */
    const list = Effect.fn("Deliveries.list")(function* (
      project: AuthorizedProject<"webhooks.read">,
      webhookId: WebhookId,
      filter: DeliveryFilter,
      page: Page.PageRequest,
    ) {
      const webhook = yield* webhooks.get(project, webhookId)
      return yield* deliveries.list(webhook.projectId, webhook.id, filter, yield* Page.checked(page))
    })

    const get = Effect.fn("Deliveries.get")(function* (
      project: AuthorizedProject<"webhooks.read">,
      webhookId: WebhookId,
      id: DeliveryId,
    ) {
      const webhook = yield* webhooks.get(project, webhookId)
      const found = yield* deliveries.find(webhook.projectId, webhook.id, id)
      return found._tag === "None" ? yield* new DeliveryNotFound({ deliveryId: id }) : found.value
    })

    /**
     * Adds a delivery that a person asked for, and waits until a worker has tried it; answers it as it is then. Where no
     * worker takes it in time it is answered as pending, and will be tried yet.
     */
    const tryOnce = Effect.fnUntraced(function* (delivery: NewDelivery) {
      const { projectId, targetId: webhookId } = delivery
      const [id = null] = yield* deliveries.insert([delivery], yield* DateTime.now)
      if (id === null) return yield* new WebhookNotFound({ webhookId })
      yield* signal.raise
      const find = Effect.flatMap(
        deliveries.find(projectId, webhookId, id),
        Option.match({
          onNone: () => new WebhookNotFound({ webhookId }),
          onSome: Effect.succeed,
        }),
      )
      const tried = yield* Effect.delay(find, askInterval).pipe(
        Effect.repeat({ until: ({ status }) => status !== "pending" }),
        Effect.timeoutOption(Duration.sum(settings.attemptTimeout, patience)),
      )
      return Option.isSome(tried) ? tried.value : yield* find
    })

    /** Sends a test, whether or not the webhook is enabled and whatever it subscribes to. */
    const test = Effect.fn("Deliveries.test")(function* (
      project: AuthorizedProject<"webhooks.administer">,
      webhookId: WebhookId,
    ) {
      const webhook = yield* existing(yield* store.find(project.project.id, webhookId), webhookId)
      const by = userIdOf(project.actor)
      const names = by === null ? new Map() : yield* users.names([by])
      return yield* tryOnce({
        ...asked,
        projectId: webhook.projectId,
        targetId: webhookId,
        event: "webhook.test",
        resendOf: null,
        requestBody: WebhookPayload.ofTest(webhook, by, names, yield* DateTime.now),
      })
    })

    /**
     * Sends the message of a delivery once more, as a delivery of its own. Receivers know it by the same `webhook-id`.
     */
    const resend = Effect.fn("Deliveries.resend")(function* (
      { project }: AuthorizedProject<"webhooks.administer">,
      webhookId: WebhookId,
      id: DeliveryId,
    ) {
      const webhook = yield* existing(yield* store.find(project.id, webhookId), webhookId)
      const found = yield* deliveries.find(webhook.projectId, webhook.id, id)
      if (found._tag === "None") return yield* new DeliveryNotFound({ deliveryId: id })
      const { event, projectId, requestBody, resendOf } = found.value
      return yield* tryOnce({
        ...asked,
        projectId,
        targetId: webhookId,
        event,
        resendOf: resendOf ?? id,
        requestBody,
      })
    })

    return { list, get, test, resend }
  }),
}) {
  static readonly Default = Layer.effect(this, this.make)
}

// internal

/** A message that a person asks for. */
const asked = { groupId: null, ruleId: null, userId: null, recipient: null, heldBack: null } as const

/** How often a worker's result is looked for. */
const askInterval = Duration.millis(50)

/** For the worker to take it, besides the time that the attempt may take. */
const patience = Duration.seconds(2)
