/** The webhooks of a project, and their deliveries. */
import type { CreatedWebhook, Delivery, Webhook } from "@errata/api/promise"
import { api } from "./client.js"
import { allOf } from "./lists.js"
import { type Aborts, cache, pollEvery } from "./query.js"

export type WebhookEvent = Webhook["events"][number]

export interface WebhookFields {
  readonly url: string
  readonly events: ReadonlyArray<WebhookEvent>
  readonly enabled: boolean
}

export interface DeliveryFilter {
  readonly success: boolean | undefined
  readonly cursor: number | undefined
}

export const webhooksQuery = (projectId: number) => ({
  queryKey: ["webhooks", projectId],
  queryFn: async (): Promise<ReadonlyArray<Webhook>> => allOf(api.webhooks.list(projectId)),
})

export const webhookQuery = (projectId: number, webhookId: number) => ({
  queryKey: ["webhooks", projectId, webhookId],
  queryFn: ({ signal }: Aborts): Promise<Webhook> => api.webhooks.get(projectId, webhookId, { signal }),
})

/** Newest first, 25 a page. */
export const deliveriesQuery = (
  projectId: number,
  webhookId: number,
  { cursor, success }: DeliveryFilter,
) => ({
  queryKey: ["deliveries", projectId, webhookId, { cursor, success }],
  queryFn: async () =>
    api.deliveries.list(projectId, webhookId, success === undefined ? {} : { success }).page({ cursor }),
  refetchInterval: pollEvery(5_000),
})

export const deliveryQuery = (projectId: number, webhookId: number, deliveryId: number) => ({
  queryKey: ["deliveries", projectId, webhookId, deliveryId],
  queryFn: ({ signal }: Aborts): Promise<Delivery> =>
    api.deliveries.get(projectId, webhookId, deliveryId, { signal }),
})

/** Only this response contains the secret. */
export const createWebhook = async (projectId: number, fields: WebhookFields): Promise<CreatedWebhook> => {
  const created = await api.webhooks.create(projectId, fields)
  await refresh()
  return created
}

export const updateWebhook = ({ id, project_id }: Webhook, changes: Partial<WebhookFields>): Promise<void> =>
  api.webhooks.update(project_id, id, changes).then(refresh)

export const deleteWebhook = async ({ id, project_id }: Webhook): Promise<void> => {
  await api.webhooks.remove(project_id, id)
  await cache.invalidateQueries({ queryKey: ["webhooks", project_id], exact: true })
}

/** Sends a test and waits for its result. */
export const testWebhook = async ({ id, project_id }: Webhook): Promise<Delivery> => {
  const delivery = await api.webhooks.test(project_id, id)
  await cache.invalidateQueries({ queryKey: ["deliveries"] })
  return delivery
}

/** Sends the message again and waits for the result. */
export const resend = async (projectId: number, { id, webhook_id }: Delivery): Promise<Delivery> => {
  const delivery = await api.deliveries.resend(projectId, webhook_id, id)
  await cache.invalidateQueries({ queryKey: ["deliveries"] })
  return delivery
}

// internal

const refresh = () => cache.invalidateQueries({ queryKey: ["webhooks"] })
