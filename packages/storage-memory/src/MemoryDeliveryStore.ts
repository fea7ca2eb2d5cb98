import { Delivery, DeliveryId, type DeliveryStore } from "@errata/core"
import { Option } from "effect"
import { pageOf } from "./internal/Pages.js"
import type { State } from "./internal/State.js"
import type { Reader } from "./internal/Transaction.js"

export const make = (state: State): DeliveryStore["Type"] => {
  const find = (reader: Reader, projectId: number, webhookId: number, id: number): Delivery | undefined => {
    const delivery = state.deliveries.get(reader, id)
    return delivery?.projectId === projectId && delivery.webhookId === webhookId ? delivery : undefined
  }

  return {
    insert: (deliveries, now) =>
      state.write((transaction) =>
        deliveries.map((input) => {
          const webhook = state.webhooks.get(transaction, input.webhookId)
          if (webhook?.projectId !== input.projectId) return null
          const id = DeliveryId.make(state.nextId("delivery"))
          const delivery = new Delivery(
            {
              ...input,
              id,
              status: "pending",
              attempts: 0,
              responseStatus: null,
              error: null,
              durationMs: null,
              nextAttemptAt: now,
              createdAt: now,
              completedAt: null,
            },
            { disableValidation: true },
          )
          state.deliveries.set(transaction, id, delivery)
          state.deliveryIds.of(input.webhookId).add(transaction, id)
          return id
        }),
      ),

    save: ({ attempts, completedAt, durationMs, error, id, nextAttemptAt, responseStatus, status, ...of }) =>
      state.write((transaction) => {
        const delivery = find(transaction, of.projectId, of.webhookId, id)
        if (delivery === undefined) return
        const result = { attempts, completedAt, durationMs, error, nextAttemptAt, responseStatus, status }
        state.deliveries.set(
          transaction,
          id,
          new Delivery({ ...delivery, ...result }, { disableValidation: true }),
        )
      }),

    find: (projectId, webhookId, id) =>
      state.read((reader) => Option.fromNullable(find(reader, projectId, webhookId, id))),

    list: (projectId, webhookId, { event, success }, page) =>
      state.read((reader) =>
        pageOf(state.deliveryIds.get(webhookId)?.descending(reader, page.cursor) ?? [], page, (id) => {
          const delivery = find(reader, projectId, webhookId, id)
          if (event !== null && delivery?.event !== event) return undefined
          return success === null || delivery?.success === success ? delivery : undefined
        }),
      ),

    removeSome: (projectId, webhookId, limit) =>
      state.write((transaction) => {
        const ids = [...(state.deliveryIds.get(webhookId)?.ascending(transaction) ?? [])]
          .filter((id) => find(transaction, projectId, webhookId, id) !== undefined)
          .slice(0, limit)
        for (const id of ids) {
          state.deliveryIds.of(webhookId).remove(transaction, id)
          state.deliveries.delete(transaction, id)
        }
        return ids.length
      }),
  }
}
