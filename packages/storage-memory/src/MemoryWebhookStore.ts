import { type Webhook, WebhookId } from "@errata/core"
import { keyIdOf, type StoredSecret, type WebhookStore } from "@errata/core/ports"
import { Option } from "effect"
import { pageOf } from "./internal/Pages.js"
import type { State } from "./internal/State.js"
import type { Reader } from "./internal/Transaction.js"

export const make = (state: State): WebhookStore["Service"] => {
  const find = (reader: Reader, projectId: number, id: number): Webhook | undefined => {
    const webhook = state.webhooks.get(reader, id)
    return webhook?.projectId === projectId ? webhook : undefined
  }

  /** Oldest first. */
  const secrets = (reader: Reader): ReadonlyArray<StoredSecret> =>
    [...state.webhooks.entries(reader)]
      .map(([, { id: webhookId, projectId, secret }]) => ({ projectId, webhookId, secret }))
      .sort((self, that) => self.webhookId - that.webhookId)

  return {
    insert: (input, now) =>
      state.write((transaction) => {
        const id = WebhookId.make(state.nextId("webhook"))
        const webhook = { ...input, id, createdAt: now, updatedAt: now }
        state.webhooks.set(transaction, id, webhook)
        state.webhookIds.of(input.projectId).add(transaction, id)
        return webhook
      }),

    find: (projectId, id) => state.read((reader) => Option.fromNullishOr(find(reader, projectId, id))),

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
        const changed = {
          ...webhook,
          url: url ?? webhook.url,
          events: events ?? webhook.events,
          enabled: enabled ?? webhook.enabled,
          updatedAt: now,
        }
        state.webhooks.set(transaction, id, changed)
        return Option.some(changed)
      }),

    listeners: (projectIds) =>
      state.read((reader) =>
        [...new Set(projectIds)].flatMap((projectId) => {
          const project = state.projects.get(reader, projectId)
          if (project === undefined) return []
          return [...(state.webhookIds.get(projectId)?.ascending(reader) ?? [])].flatMap((id) => {
            const { enabled, events, id: webhookId } = state.webhooks.get(reader, id)!
            const errorAndFatalOnly = project.errorAndFatalNotificationsOnly
            return enabled ? [{ projectId, webhookId, events, errorAndFatalOnly }] : []
          })
        }),
      ),

    sampleSecrets: state.read((reader) => {
      const samples = new Map<string, StoredSecret>()
      for (const stored of secrets(reader)) samples.set(keyIdOf(stored.secret), stored)
      return [...samples.values()]
    }),

    secretsOfKey: (keyId, limit) =>
      state.read((reader) =>
        secrets(reader)
          .filter(({ secret }) => keyIdOf(secret) === keyId)
          .slice(0, limit),
      ),

    replaceSecret: ({ projectId, secret: former, webhookId }, secret) =>
      state.write((transaction) => {
        const webhook = find(transaction, projectId, webhookId)
        if (webhook?.secret !== former) return false
        state.webhooks.set(transaction, webhookId, { ...webhook, secret })
        return true
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
        state.attended.delete(transaction, id)
        state.webhookIds.of(projectId).remove(transaction, id)
        return true
      }),
  }
}
