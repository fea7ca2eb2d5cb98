import { Schema } from "effect"
import { GroupId } from "../id/GroupId.js"
import { ProjectId } from "../project/Project.js"
import { WebhookEvent, WebhookId } from "./Webhook.js"

export const DeliveryId = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)), Schema.brand("DeliveryId"))
export type DeliveryId = typeof DeliveryId.Type

export const DeliveryStatus = Schema.Literals(["pending", "succeeded", "failed"])
export type DeliveryStatus = typeof DeliveryStatus.Type

/** One event for one webhook, and what came of sending it. */
export class Delivery extends Schema.Class<Delivery>("Delivery")({
  id: DeliveryId,
  projectId: ProjectId,
  webhookId: WebhookId,
  /** The group whose change it tells; null for what a person asked to be sent, which is tried once and at once. */
  groupId: Schema.NullOr(GroupId),
  event: WebhookEvent,
  /** Pending until the receiver took it or no further attempt is made. */
  status: DeliveryStatus,
  attempts: Schema.Int,
  /** Of the last attempt, as are `error` and `durationMs`; null where nobody answered. */
  responseStatus: Schema.NullOr(Schema.Int),
  error: Schema.NullOr(Schema.String),
  durationMs: Schema.NullOr(Schema.Int),
  /** The delivery whose message is sent again by this one. */
  resendOf: Schema.NullOr(DeliveryId),
  /** JSON, as it is sent. */
  requestBody: Schema.String,
  nextAttemptAt: Schema.NullOr(Schema.DateTimeUtcFromString),
  createdAt: Schema.DateTimeUtcFromString,
  completedAt: Schema.NullOr(Schema.DateTimeUtcFromString),
}) {
  /** Whether the receiver took it. */
  get success(): boolean {
    return this.status === "succeeded"
  }
}
