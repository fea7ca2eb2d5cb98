import { Context, DateTime, Effect, Layer, Schema } from "effect"
import type { AuthorizedProject } from "../access/AccessPolicy.js"
import { userIdOf } from "../access/Actor.js"
import { DeliveryId } from "../delivery/Delivery.js"
import { type DeliveryFilter, DeliveryStore, type NewDelivery } from "../delivery/DeliveryStore.js"
import * as Requested from "../delivery/Requested.js"
import { TargetStore } from "../notification/TargetStore.js"
import * as Page from "../storage/Page.js"
import { UserStore } from "../user/UserStore.js"
import type { WebhookId } from "./Webhook.js"
import * as WebhookPayload from "./WebhookPayload.js"
import { existing, WebhookNotFound, Webhooks } from "./Webhooks.js"

/** The webhook has no such delivery. */
export class DeliveryNotFound extends Schema.TaggedError<DeliveryNotFound>()("DeliveryNotFound", {
  deliveryId: DeliveryId,
}) {}

/** Lists, tests and resends deliveries to webhooks. */
export class Deliveries extends Context.Service<Deliveries>()("@errata/core/webhook/Deliveries", {
  make: Effect.gen(function* () {
    const webhooks = yield* Webhooks
    const targets = yield* TargetStore
    const deliveries = yield* DeliveryStore
    const users = yield* UserStore
    const request = yield* Requested.make

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
      return yield* Effect.fromOption(found, () => new DeliveryNotFound({ deliveryId: id }))
    })

    const tryOnce = Effect.fnUntraced(function* (delivery: NewDelivery) {
      const [tried] = yield* request([delivery])
      return tried ?? (yield* new WebhookNotFound({ webhookId: delivery.targetId }))
    })

    /** Sends a test, even if the webhook is disabled or not subscribed. */
    const test = Effect.fn("Deliveries.test")(function* (
      project: AuthorizedProject<"webhooks.administer">,
      webhookId: WebhookId,
    ) {
      const webhook = yield* existing(yield* targets.find(project.project.id, webhookId), webhookId)
      const by = userIdOf(project.actor)
      const names = by === null ? new Map() : yield* users.names([by])
      return yield* tryOnce({
        ...Requested.asked,
        projectId: webhook.projectId,
        targetId: webhookId,
        event: "webhook.test",
        resendOf: null,
        requestBody: WebhookPayload.ofTest(webhook, by, names, yield* DateTime.now),
      })
    })

    /** Sends the message of a delivery again, as a new delivery with the same `webhook-id`. */
    const resend = Effect.fn("Deliveries.resend")(function* (
      { project }: AuthorizedProject<"webhooks.administer">,
      webhookId: WebhookId,
      id: DeliveryId,
    ) {
      const webhook = yield* existing(yield* targets.find(project.id, webhookId), webhookId)
      const found = yield* deliveries.find(webhook.projectId, webhook.id, id)
      const { event, projectId, requestBody, resendOf } = yield* Effect.fromOption(
        found,
        () => new DeliveryNotFound({ deliveryId: id }),
      )
      return yield* tryOnce({
        ...Requested.asked,
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
