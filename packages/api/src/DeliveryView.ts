/** A delivery of a webhook as the API shows it. */
import { type Delivery, WebhookEvent } from "@errata/core/webhook"
import { Schema } from "effect"
import { at, described, Timestamp } from "./Json.js"

export const DeliveryView = Schema.Struct({
  id: described("The delivery's id", Schema.Int),
  webhook_id: described("The webhook that it is for", Schema.Int),
  event: described("What it tells about", WebhookEvent),
  success: described("Whether the receiver took it", Schema.Boolean),
  status: described("How it stands", Schema.Literal("pending", "succeeded", "failed")),
  attempts: described("How often it was tried", Schema.Int),
  response_status: described(
    "The receiver's HTTP status on the last attempt; null where there was no answer",
    Schema.NullOr(Schema.Int),
  ),
  error: described(
    "What went wrong on the last attempt; null where nothing did",
    Schema.NullOr(Schema.String),
  ),
  duration_ms: described(
    "How many milliseconds the last attempt took; null before the first",
    Schema.NullOr(Schema.Int),
  ),
  request_body: described("The JSON that is sent", Schema.String),
  next_attempt_at: described("When it is tried next; null where it is not", Schema.NullOr(Timestamp)),
  created_at: described("When it was made", Timestamp),
  completed_at: described("When it succeeded or was given up; null before", Schema.NullOr(Timestamp)),
}).annotations({
  identifier: "Delivery",
  examples: [
    {
      id: 9,
      webhook_id: 5,
      event: "group.created",
      success: true,
      status: "succeeded",
      attempts: 1,
      response_status: 200,
      error: null,
      duration_ms: 85,
      request_body: '{"event":"group.created","group_id":42,"project_id":1}',
      next_attempt_at: null,
      created_at: at("2026-01-05T09:30:00.000Z"),
      completed_at: at("2026-01-05T09:30:00.085Z"),
    },
  ],
})
export type DeliveryView = typeof DeliveryView.Type

export const deliveryView = (delivery: Delivery): DeliveryView => ({
  id: delivery.id,
  webhook_id: delivery.webhookId,
  event: delivery.event,
  success: delivery.success,
  status: delivery.status,
  attempts: delivery.attempts,
  response_status: delivery.responseStatus,
  error: delivery.error,
  duration_ms: delivery.durationMs,
  request_body: delivery.requestBody,
  next_attempt_at: delivery.nextAttemptAt,
  created_at: delivery.createdAt,
  completed_at: delivery.completedAt,
})
