import { Effect, Schema } from "effect"
import type { AuthorizedProject } from "../access/AccessPolicy.js"
import * as Page from "../storage/Page.js"
import { DeliveryId } from "./Delivery.js"
import { type DeliveryFilter, DeliveryStore } from "./DeliveryStore.js"
import type { WebhookId } from "./Webhook.js"
import { Webhooks } from "./Webhooks.js"

/** No such delivery to the webhook. */
export class DeliveryNotFound extends Schema.TaggedError<DeliveryNotFound>()("DeliveryNotFound", {
  deliveryId: DeliveryId,
}) {}

/** What was sent, or is to be sent, to the webhooks of a project. */
export class Deliveries extends Effect.Service<Deliveries>()("@errata/core/webhook/Deliveries", {
  effect: Effect.gen(function* () {
    const webhooks = yield* Webhooks
    const deliveries = yield* DeliveryStore

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

    return { list, get }
  }),
}) {}
