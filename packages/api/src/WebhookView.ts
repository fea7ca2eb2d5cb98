/** Webhooks and their deliveries as the API shows them. */
import { type Delivery, type Webhook, WebhookEvent } from "@errata/core"
import { Predicate, Redacted, Schema } from "effect"
import { described, Timestamp } from "./Json.js"
import { Flag, list, optional, Text } from "./Params.js"

const fields = {
  id: Schema.Int,
  project_id: Schema.Int,
  url: Schema.String,
  events: Schema.Array(WebhookEvent),
  enabled: Schema.Boolean,
  created_at: Timestamp,
  updated_at: Timestamp,
}

export const WebhookView = Schema.Struct(fields).annotations({ identifier: "Webhook" })
export type WebhookView = typeof WebhookView.Type

export const CreatedWebhookView = Schema.Struct({
  ...fields,
  secret: described("Signs deliveries; shown this once", Schema.String),
}).annotations({ identifier: "CreatedWebhook" })
export type CreatedWebhookView = typeof CreatedWebhookView.Type

// Which names there are is the core's to say: it lists them.
const Events = list({
  isItem: Predicate.isString,
  of: "event names",
  unit: "names",
  maxItems: 100,
  item: { type: "string", enum: WebhookEvent.literals },
})

/** What a webhook is created from; it is enabled unless told. */
export const WebhookCreation = Schema.Struct({
  url: Text,
  events: Events,
  enabled: optional(Flag),
}).annotations({ identifier: "WebhookCreation" })
export type WebhookCreation = typeof WebhookCreation.Type

export const WebhookUpdate = Schema.Struct({
  url: optional(Text),
  events: optional(Events),
  enabled: optional(Flag),
}).annotations({ identifier: "WebhookUpdate" })
export type WebhookUpdate = typeof WebhookUpdate.Type

export const webhookView = (webhook: Webhook): WebhookView => ({
  id: webhook.id,
  project_id: webhook.projectId,
  url: webhook.url,
  events: webhook.events,
  enabled: webhook.enabled,
  created_at: webhook.createdAt,
  updated_at: webhook.updatedAt,
})

export const createdWebhookView = (webhook: Webhook): CreatedWebhookView => ({
  ...webhookView(webhook),
  secret: Redacted.value(webhook.secret),
})

export const DeliveryView = Schema.Struct({
  id: Schema.Int,
  webhook_id: Schema.Int,
  event: WebhookEvent,
  success: described("Whether the receiver took it", Schema.Boolean),
  status: Schema.Literal("pending", "succeeded", "failed"),
  attempts: Schema.Int,
  response_status: described("The receiver's HTTP status on the last attempt", Schema.NullOr(Schema.Int)),
  error: Schema.NullOr(Schema.String),
  duration_ms: Schema.NullOr(Schema.Int),
  request_body: Schema.String,
  next_attempt_at: Schema.NullOr(Timestamp),
  created_at: Timestamp,
  completed_at: Schema.NullOr(Timestamp),
}).annotations({ identifier: "Delivery" })
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
