import { Context, type DateTime, type Duration, type Effect, type Option } from "effect"
import type { SealedSecret } from "../encryption/SealedSecret.js"
import type { GroupId } from "../group/Group.js"
import type { ProjectId } from "../project/Project.js"
import type { Page, PageRequest } from "../storage/Page.js"
import type { StorageError } from "../storage/StorageError.js"
import type { Delivery, DeliveryId, DeliveryStatus } from "./Delivery.js"
import type { WebhookEvent, WebhookId } from "./Webhook.js"

/** A new delivery. */
export interface NewDelivery {
  readonly projectId: ProjectId
  readonly webhookId: WebhookId
  /** The group whose change it tells; null for what a person asked to be sent. */
  readonly groupId: GroupId | null
  readonly event: WebhookEvent
  readonly resendOf: DeliveryId | null
  /** JSON. */
  readonly requestBody: string
}

/** Narrows a list; null for all. */
export interface DeliveryFilter {
  readonly event: WebhookEvent | null
  readonly success: boolean | null
}

/** How many deliveries a caller takes, and for how long. */
export interface DeliveryLeaseRequest {
  /** Of deliveries. */
  readonly limit: number
  /** To one webhook, at most. */
  readonly perWebhook: number
  /** Webhooks for which it is another number. */
  readonly exceptions: ReadonlyArray<{ readonly webhookId: WebhookId; readonly limit: number }>
  /** After this time others may take them. By the storage's clock, because nodes share it. */
  readonly duration: Duration.Duration
}

/** A delivery in the hands of one caller, until its lease runs out, with what sending it takes. */
export interface LeasedDelivery {
  readonly id: DeliveryId
  readonly projectId: ProjectId
  readonly webhookId: WebhookId
  readonly groupId: GroupId | null
  readonly resendOf: DeliveryId | null
  readonly requestBody: string
  /** Attempts that came to an end. */
  readonly attempts: number
  /** How often it was leased, this time included: whoever has another number has lost it. */
  readonly leases: number
  readonly url: string
  /** Whether the webhook is, at the moment of the lease. */
  readonly enabled: boolean
  readonly secret: SealedSecret
}

/** What came of an attempt. */
export interface AttemptResult {
  readonly status: DeliveryStatus
  readonly responseStatus: number | null
  readonly error: string | null
  readonly durationMs: number
  /** Until it is tried again; null where it is not, which is where it is not pending any more. */
  readonly pause: Duration.Duration | null
}

/** Keeps what is to be sent to webhooks, and what came of it. */
export class DeliveryStore extends Context.Service<
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

    /**
     * Takes pending deliveries of live projects that are due and that nobody holds. No two callers get the same one.
     *
     * - Webhooks take turns, so that many deliveries to one of them do not keep others from theirs.
     * - Of one webhook: first what people asked for, then the oldest.
     * - One that was not tried yet waits for all earlier ones of the same group and webhook to have been tried once.
     */
    readonly lease: (
      request: DeliveryLeaseRequest,
    ) => Effect.Effect<ReadonlyArray<LeasedDelivery>, StorageError>

    /** Writes what came of attempts. Whoever has lost a delivery changes nothing of it. */
    readonly settle: (
      results: ReadonlyArray<{ readonly delivery: LeasedDelivery; readonly result: AttemptResult }>,
    ) => Effect.Effect<void, StorageError>

    /** Gives leased deliveries back, due at once and as if they had not been taken. */
    readonly release: (deliveries: ReadonlyArray<LeasedDelivery>) => Effect.Effect<void, StorageError>

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

    /** Removes up to so many deliveries that succeeded or were given up longer ago than this; answers how many. */
    readonly forget: (age: Duration.Duration, limit: number) => Effect.Effect<number, StorageError>
  }
>()("@errata/core/webhook/DeliveryStore") {}
