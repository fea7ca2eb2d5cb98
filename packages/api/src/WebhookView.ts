/** Webhooks as the API shows them. */
import { eventCountProblem, maxEventNames, type Webhook, WebhookEvent } from "@errata/core/webhook"
import { Predicate, Redacted, Schema } from "effect"
import { at, described, Timestamp } from "./Json.js"
import { Flag, list, optional, Text } from "./Params.js"

const fields = {
  id: described("The webhook's id", Schema.Int),
  project_id: described("The project that it belongs to", Schema.Int),
  url: described("The http or https URL that is told", Schema.String),
  events: described("What it is told about", Schema.Array(WebhookEvent)),
  enabled: described("Whether anything is sent", Schema.Boolean),
  created_at: described("When it was created", Timestamp),
  updated_at: described("When it last changed", Timestamp),
}

const example = {
  id: 5,
  project_id: 1,
  url: "https://hooks.example.com/errata",
  events: ["group.created", "group.unresolved"],
  enabled: true,
  created_at: at("2026-01-01T08:00:00.000Z"),
  updated_at: at("2026-01-01T08:00:00.000Z"),
} as const

export const WebhookView = Schema.Struct(fields).annotations({ identifier: "Webhook", examples: [example] })
export type WebhookView = typeof WebhookView.Type

export const CreatedWebhookView = Schema.Struct({
  ...fields,
  secret: described("Signs deliveries; shown this once", Schema.String),
}).annotations({
  identifier: "CreatedWebhook",
  examples: [{ ...example, secret: "whsec_ZXhhbXBsZSBvbmx5LCBub3QgYSBzZWNyZXQ=" }],
})
export type CreatedWebhookView = typeof CreatedWebhookView.Type

// Which names there are is the core's to say: it lists them.
const Events = list({
  isItem: Predicate.isString,
  of: "event names",
  problem: eventCountProblem,
  maxItems: maxEventNames,
  item: { type: "string", enum: WebhookEvent.literals },
})

/** What a webhook is created from; it is enabled unless told. */
export const WebhookCreation = Schema.Struct({
  url: described("The http or https URL to tell", Text),
  events: described("What to tell about; at least one event", Events),
  enabled: described("Whether anything is sent; true where it is left out", optional(Flag)),
}).annotations({
  identifier: "WebhookCreation",
  examples: [{ url: "https://hooks.example.com/errata", events: ["group.created", "group.unresolved"] }],
})
export type WebhookCreation = typeof WebhookCreation.Type

export const WebhookUpdate = Schema.Struct({
  url: described("Another http or https URL to tell", optional(Text)),
  events: described("What to tell about instead; at least one event", optional(Events)),
  enabled: described("Whether anything is sent", optional(Flag)),
}).annotations({ identifier: "WebhookUpdate", examples: [{ enabled: false }] })
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

export const createdWebhookView = (created: {
  readonly webhook: Webhook
  readonly secret: Redacted.Redacted
}): CreatedWebhookView => ({
  ...webhookView(created.webhook),
  secret: Redacted.value(created.secret),
})
