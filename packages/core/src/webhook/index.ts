/** Webhooks. */
export { Delivery, DeliveryId, DeliveryStatus } from "./Delivery.js"
export { eventCountProblem, maxEventNames, Webhook, WebhookEvent, WebhookId } from "./Webhook.js"
