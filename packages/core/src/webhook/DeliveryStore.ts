import { Context, type DateTime, type Effect, type Option } from "effect"
import type { ProjectId } from "../project/Project.js"
import type { Page, PageRequest } from "../storage/Page.js"
import type { StorageError } from "../storage/StorageError.js"
import type { Delivery, DeliveryId } from "./Delivery.js"
import type { WebhookEvent, WebhookId } from "./Webhook.js"

export interface NewDelivery {
  readonly projectId: ProjectId
  readonly webhookId: WebhookId
  readonly event: WebhookEvent
  /** JSON. */
  readonly requestBody: string
}

/** Narrows a list; null for all. */
export interface DeliveryFilter {
  readonly event: WebhookEvent | null
  readonly success: boolean | null
}

/** Keeps what is to be sent to webhooks, and what came of it. */
export class DeliveryStore extends Context.Tag("@errata/core/webhook/DeliveryStore")<
  DeliveryStore,
  {
    /**
     * Adds deliveries, pending and due at once. The answer has the order of the input: the new delivery's id, or null
     * where the webhook is gone by now. A webhook that is removed at the same time does no harm.
     */
    readonly insert: (
      deliveries: ReadonlyArray<NewDelivery>,
      now: DateTime.Utc,
    ) => Effect.Effect<ReadonlyArray<DeliveryId | null>, StorageError>

    /** Writes what an attempt changes: all but ids, event, body and creation. */
    readonly save: (delivery: Delivery) => Effect.Effect<void, StorageError>

    readonly find: (
      projectId: ProjectId,
      webhookId: WebhookId,
      id: DeliveryId,
    ) => Effect.Effect<Option.Option<Delivery>, StorageError>

    /** The deliveries of a webhook, newest first. */
    readonly list: (
      projectId: ProjectId,
      webhookId: WebhookId,
      filter: DeliveryFilter,
      page: PageRequest,
    ) => Effect.Effect<Page<Delivery>, StorageError>

    /** Removes up to so many deliveries of a webhook; answers how many. */
    readonly removeSome: (
      projectId: ProjectId,
      webhookId: WebhookId,
      limit: number,
    ) => Effect.Effect<number, StorageError>
  }
>() {}
