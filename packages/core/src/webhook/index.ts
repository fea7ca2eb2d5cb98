/** Webhooks. */
export { type Delivery, DeliveryId, DeliveryStatus } from "../delivery/Delivery.js"
export { eventCountProblem, maxEventNames, type Webhook, WebhookEvent, WebhookId } from "./Webhook.js"
