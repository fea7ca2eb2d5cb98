/** A delivery of a webhook as the API shows it. */
import { type Delivery, WebhookEvent } from "@errata/core/webhook"
import { Schema } from "effect"
import { described, named, Timestamp } from "./Json.js"

/** A delivery of a webhook, as REST shows it. */
export const DeliveryView = Schema.Struct({
  id: described("Id of the delivery", Schema.Int),
  webhook_id: described("Id of the webhook", Schema.Int),
  event: described("Name of the event", WebhookEvent),
  success: described("True if the receiver responded with success", Schema.Boolean),
  status: described("State of the delivery", Schema.Literals(["pending", "succeeded", "failed"])),
  attempts: described("Number of attempts", Schema.Int),
  response_status: described(
    "HTTP status of the last response. Null without a response",
    Schema.NullOr(Schema.Int),
  ),
  error: described("Error of the last attempt, or null", Schema.NullOr(Schema.String)),
  duration_ms: described(
    "Duration of the last attempt in milliseconds. Null before the first",
    Schema.NullOr(Schema.Int),
  ),
  request_body: described("The JSON body of the request", Schema.String),
  next_attempt_at: described("Time of the next attempt, or null", Schema.NullOr(Timestamp)),
  created_at: described("Time of creation", Timestamp),
  completed_at: described(
    "Time at which it succeeded or failed permanently. Null before",
    Schema.NullOr(Timestamp),
  ),
}).pipe(
  named("Delivery", {
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
    created_at: "2026-01-05T09:30:00.000Z",
    completed_at: "2026-01-05T09:30:00.085Z",
  }),
)
export type DeliveryView = typeof DeliveryView.Type

/** A delivery to a webhook. Webhooks have no notifications and no throttling. */
export const deliveryView = (delivery: Delivery): DeliveryView => ({
  id: delivery.id,
  webhook_id: delivery.targetId,
  event: delivery.event as WebhookEvent,
  success: delivery.status === "succeeded",
  status: delivery.status as Exclude<Delivery["status"], "throttled">,
  attempts: delivery.attempts,
  response_status: delivery.responseStatus,
  error: delivery.error,
  duration_ms: delivery.durationMs,
  request_body: delivery.requestBody,
  next_attempt_at: delivery.nextAttemptAt,
  created_at: delivery.createdAt,
  completed_at: delivery.completedAt,
})
