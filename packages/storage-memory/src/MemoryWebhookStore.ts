import { Webhook, WebhookId, type WebhookStore } from "@errata/core"
import { Option } from "effect"
import { pageOf } from "./internal/Pages.js"
import type { State } from "./internal/State.js"
import type { Reader } from "./internal/Transaction.js"

export const make = (state: State): WebhookStore["Type"] => {
  const find = (reader: Reader, projectId: number, id: number): Webhook | undefined => {
    const webhook = state.webhooks.get(reader, id)
    return webhook?.projectId === projectId ? webhook : undefined
  }

  return {
    insert: (input, now) =>
      state.write((transaction) => {
        const id = WebhookId.make(state.nextId("webhook"))
        const webhook = new Webhook(
          { ...input, id, createdAt: now, updatedAt: now },
          { disableValidation: true },
        )
        state.webhooks.set(transaction, id, webhook)
        state.webhookIds.of(input.projectId).add(transaction, id)
        return webhook
      }),

    find: (projectId, id) => state.read((reader) => Option.fromNullable(find(reader, projectId, id))),

    list: (projectId, page) =>
      state.read((reader) =>
        pageOf(state.webhookIds.get(projectId)?.descending(reader, page.cursor) ?? [], page, (id) =>
          state.webhooks.get(reader, id),
        ),
      ),

    update: (projectId, id, { enabled, events, url }, now) =>
      state.write((transaction) => {
        const webhook = find(transaction, projectId, id)
        if (webhook === undefined) return Option.none()
        const changed = new Webhook(
          {
            ...webhook,
            url: url ?? webhook.url,
            events: events ?? webhook.events,
            enabled: enabled ?? webhook.enabled,
            updatedAt: now,
          },
          { disableValidation: true },
        )
        state.webhooks.set(transaction, id, changed)
        return Option.some(changed)
      }),

    remove: (projectId, id) =>
      state.write((transaction) => {
        if (find(transaction, projectId, id) === undefined) return false
        const deliveryIds = state.deliveryIds.of(id)
        for (const deliveryId of [...deliveryIds.ascending(transaction)]) {
          deliveryIds.remove(transaction, deliveryId)
          state.deliveries.delete(transaction, deliveryId)
        }
        state.webhooks.delete(transaction, id)
        state.webhookIds.of(projectId).remove(transaction, id)
        return true
      }),
  }
}
