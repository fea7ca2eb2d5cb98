/** Webhooks. */
export { type Delivery, DeliveryId, DeliveryStatus, WebhookEvent } from "../delivery/Delivery.js"
export { eventCountProblem, maxEventNames, type Webhook, WebhookId } from "./Webhook.js"
