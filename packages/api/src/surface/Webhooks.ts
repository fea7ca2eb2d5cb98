import type { Body, Query } from "../internal/Contract.js"

const pathOf = (projectId: number, webhookId: number) => ({ project_id: projectId, webhook_id: webhookId })

/** Whom a project tells about its groups. */
export const webhooks = {
  list: (projectId: number, query?: Query<"webhooks", "list">) => ({
    path: { project_id: projectId },
    urlParams: query ?? {},
  }),
  get: (projectId: number, webhookId: number) => ({ path: pathOf(projectId, webhookId) }),
  /** Creates a webhook; only this answer has its `secret`. */
  create: (projectId: number, webhook: Body<"webhooks", "create">) => ({
    path: { project_id: projectId },
    payload: webhook,
  }),
  update: (projectId: number, webhookId: number, changes: Body<"webhooks", "update">) => ({
    path: pathOf(projectId, webhookId),
    payload: changes,
  }),
  /** Deletes a webhook with its deliveries. */
  remove: (projectId: number, webhookId: number) => ({ path: pathOf(projectId, webhookId) }),
  /** Sends a test, once; answers the delivery when it was attempted. */
  test: (projectId: number, webhookId: number) => ({ path: pathOf(projectId, webhookId) }),
}

/** What was sent to a webhook, and how it went. */
export const deliveries = {
  /** The deliveries of a webhook, newest first. */
  list: (projectId: number, webhookId: number, query?: Query<"deliveries", "list">) => ({
    path: pathOf(projectId, webhookId),
    urlParams: query ?? {},
  }),
  get: (projectId: number, webhookId: number, deliveryId: number) => ({
    path: { ...pathOf(projectId, webhookId), delivery_id: deliveryId },
  }),
  /** Sends a delivery's message again, once, as a delivery of its own; answers that one when it was attempted. */
  resend: (projectId: number, webhookId: number, deliveryId: number) => ({
    path: { ...pathOf(projectId, webhookId), delivery_id: deliveryId },
  }),
}
