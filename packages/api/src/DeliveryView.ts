/** A delivery of a webhook as the API shows it. */
import { type Delivery, WebhookEvent } from "@errata/core/webhook"
import { Schema, Struct } from "effect"
import { flag, int, intOrNull, text, textOrNull, time, timeOrNull, viewOf } from "./Fields.js"
import { described, named } from "./Json.js"

/** A delivery of a webhook, as REST shows it. */
export const DeliveryView = Schema.Struct({
  id: int("Id of the delivery"),
  webhook_id: int("Id of the webhook"),
  event: described("Name of the event", WebhookEvent),
  success: flag("True if the receiver responded with success"),
  status: described("State of the delivery", Schema.Literals(["pending", "succeeded", "failed"])),
  attempts: int("Number of attempts"),
  response_status: intOrNull("HTTP status of the last response. Null without a response"),
  error: textOrNull("Error of the last attempt, or null"),
  duration_ms: intOrNull("Duration of the last attempt in milliseconds. Null before the first"),
  request_body: text("The JSON body of the request"),
  next_attempt_at: timeOrNull("Time of the next attempt, or null"),
  created_at: time("Time of creation"),
  completed_at: timeOrNull("Time at which it succeeded or failed permanently. Null before"),
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
  ...sharedOf(delivery),
  webhook_id: delivery.targetId,
  event: delivery.event as WebhookEvent,
  success: delivery.status === "succeeded",
  status: delivery.status as Exclude<Delivery["status"], "throttled">,
})

// internal

const sharedOf = viewOf(Struct.omit(DeliveryView.fields, ["webhook_id", "event", "success", "status"]))
