import { type DateTime, Schema } from "effect"
import type { GroupId } from "../id/GroupId.js"
import type { ProjectId } from "../project/Project.js"
import type { WebhookEvent, WebhookId } from "./Webhook.js"

/** Identifies a delivery: a positive integer, larger for newer ones. */
export const DeliveryId = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)), Schema.brand("DeliveryId"))
export type DeliveryId = typeof DeliveryId.Type

/** Pending until the receiver took it, or no further attempt is made. */
export const DeliveryStatus = Schema.Literals(["pending", "succeeded", "failed"])
export type DeliveryStatus = typeof DeliveryStatus.Type

/** One event for one webhook, and what came of sending it. */
export interface Delivery {
  readonly id: DeliveryId
  readonly projectId: ProjectId
  readonly webhookId: WebhookId
  /** The group whose change it tells; null for what a person asked to be sent, which is tried once and at once. */
  readonly groupId: GroupId | null
  readonly event: WebhookEvent
  /** Pending until the receiver took it or no further attempt is made. */
  readonly status: DeliveryStatus
  readonly attempts: number
  /** Of the last attempt, as are `error` and `durationMs`; null where nobody answered. */
  readonly responseStatus: number | null
  readonly error: string | null
  readonly durationMs: number | null
  /** The delivery whose message is sent again by this one. */
  readonly resendOf: DeliveryId | null
  /** JSON, as it is sent. */
  readonly requestBody: string
  readonly nextAttemptAt: DateTime.Utc | null
  readonly createdAt: DateTime.Utc
  readonly completedAt: DateTime.Utc | null
}
