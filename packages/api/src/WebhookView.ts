/** Webhooks in the API. */
import { eventCountProblem, maxEventNames, type Webhook, WebhookEvent } from "@errata/core/webhook"
import { Redacted, Schema } from "effect"
import { flag, int, text, time, viewOf } from "./Fields.js"
import { described, named } from "./Json.js"
import { Flag, list, optional, Text } from "./Params.js"

const fields = {
  id: int("Id of the webhook"),
  project_id: int("Id of the project"),
  url: text("URL (http or https) that receives the deliveries"),
  events: described("Events that the webhook receives", Schema.Array(WebhookEvent)),
  enabled: flag("True if the webhook is enabled"),
  created_at: time("Time of creation"),
  updated_at: time("Time of the last change"),
}

const example = {
  id: 5,
  project_id: 1,
  url: "https://hooks.example.com/errata",
  events: ["group.created", "group.unresolved"],
  enabled: true,
  created_at: "2026-01-01T08:00:00.000Z",
  updated_at: "2026-01-01T08:00:00.000Z",
} as const

/** A webhook, without its secret, as REST shows it. */
export const WebhookView = Schema.Struct(fields).pipe(named("Webhook", example))
export type WebhookView = typeof WebhookView.Type

/** A new webhook with its secret, which is shown once. */
export const CreatedWebhookView = Schema.Struct({
  ...fields,
  secret: text("Secret that signs deliveries. No later response contains it"),
}).pipe(named("CreatedWebhook", { ...example, secret: "whsec_ZXhhbXBsZSBvbmx5LCBub3QgYSBzZWNyZXQ=" }))
export type CreatedWebhookView = typeof CreatedWebhookView.Type

/** The core checks the names, and its message lists them. */
const isEventName = (value: unknown): value is WebhookEvent => typeof value === "string"

const Events = list({
  isItem: isEventName,
  of: "event names",
  problem: eventCountProblem,
  maxItems: maxEventNames,
  item: { type: "string", enum: WebhookEvent.literals },
})

/** The input for a new webhook. It is enabled by default. */
export const WebhookCreation = Schema.Struct({
  url: described("URL (http or https) that receives the deliveries", Text),
  events: described("Events to send, at least one", Events),
  enabled: described("True to enable the webhook. Default: true", optional(Flag)),
}).pipe(
  named("WebhookCreation", {
    url: "https://hooks.example.com/errata",
    events: ["group.created", "group.unresolved"],
  }),
)
export type WebhookCreation = typeof WebhookCreation.Type

/** Changes of a webhook. Missing fields stay as they are. */
export const WebhookUpdate = Schema.Struct({
  url: described("New URL (http or https)", optional(Text)),
  events: described("Events to send, at least one. Replaces the current ones", optional(Events)),
  enabled: described("True if the webhook is enabled", optional(Flag)),
}).pipe(named("WebhookUpdate", { enabled: false }))
export type WebhookUpdate = typeof WebhookUpdate.Type

export const webhookView: (webhook: Webhook) => WebhookView = viewOf(WebhookView.fields)

export const createdWebhookView = (created: {
  readonly webhook: Webhook
  readonly secret: Redacted.Redacted
}): CreatedWebhookView => ({
  ...webhookView(created.webhook),
  secret: Redacted.value(created.secret),
})
