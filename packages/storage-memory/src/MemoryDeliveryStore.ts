import { type Delivery, DeliveryId } from "@errata/core"
import type { DeliveryStore, LeasedDelivery } from "@errata/core/ports"
import { Clock, DateTime, Duration, Effect, Option } from "effect"
import { pageOf } from "./internal/Pages.js"
import type { DeliveryRow, State } from "./internal/State.js"
import type { Reader } from "./internal/Transaction.js"

export const make = (state: State): DeliveryStore["Service"] => {
  const find = (reader: Reader, projectId: number, targetId: number, id: number): Delivery | undefined => {
    const row = state.deliveries.get(reader, id)
    return row?.projectId === projectId && row.targetId === targetId ? toDelivery(row) : undefined
  }

  /** What may be taken of a webhook's, in the order in which it is. */
  const takeable = (reader: Reader, targetId: number, now: number): ReadonlyArray<DeliveryRow> => {
    const groups = new Set<number>()
    const rows: Array<DeliveryRow> = []
    for (const id of state.deliveryIds.get(targetId)?.ascending(reader) ?? []) {
      const delivery = state.deliveries.get(reader, id)!
      if (delivery.status !== "pending") continue
      const { attempts, dueAt, groupId } = delivery
      // The first of a group that was not tried yet holds up those after it, whoever has it.
      const isHeldUp = attempts === 0 && groupId !== null && groups.has(groupId)
      if (attempts === 0 && groupId !== null) groups.add(groupId)
      if (!isHeldUp && dueAt <= now) rows.push(delivery)
    }
    const rank = ({ groupId }: DeliveryRow) => (groupId === null ? 0 : 1)
    return rows.sort((self, that) => rank(self) - rank(that) || self.dueAt - that.dueAt || self.id - that.id)
  }

  /** The delivery, where it is still the caller's. */
  const held = (reader: Reader, { id, leases }: LeasedDelivery): DeliveryRow | undefined => {
    const delivery = state.deliveries.get(reader, id)
    return delivery?.leases === leases && delivery.status === "pending" ? delivery : undefined
  }

  return {
    insert: (deliveries, now) =>
      Effect.flatMap(Clock.currentTimeMillis, (dueAt) =>
        state.write((transaction) =>
          deliveries.map((input) => {
            const webhook = state.webhooks.get(transaction, input.targetId)
            if (webhook?.projectId !== input.projectId) return null
            const id = DeliveryId.make(state.nextId("delivery"))
            state.deliveries.set(transaction, id, {
              ...input,
              id,
              status: "pending",
              attempts: 0,
              responseStatus: null,
              error: null,
              durationMs: null,
              nextAttemptAt: now,
              dueAt,
              leases: 0,
              createdAt: now,
              completedAt: null,
            })
            state.deliveryIds.of(input.targetId).add(transaction, id)
            return id
          }),
        ),
      ),

    lease: ({ duration, exceptions, limit, perTarget }) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        state.write((transaction) => {
          const limits = new Map(exceptions.map((exception) => [exception.targetId, exception.limit]))
          const turns = [...state.webhooks.entries(transaction)].flatMap(([, webhook]) =>
            state.projects.has(transaction, webhook.projectId)
              ? takeable(transaction, webhook.id, now)
                  .slice(0, limits.get(webhook.id) ?? perTarget)
                  .map((delivery, turn) => ({ delivery, turn, webhook }))
              : [],
          )
          turns.sort((self, that) => self.turn - that.turn || self.delivery.id - that.delivery.id)
          return turns.slice(0, limit).map(({ delivery, webhook }) => {
            const leases = delivery.leases + 1
            const dueAt = now + Duration.toMillis(duration)
            state.deliveries.set(transaction, delivery.id, change(delivery, { leases, dueAt }))
            state.attended.set(transaction, webhook.id, now)
            const { attempts, groupId, id, projectId, requestBody, resendOf, targetId } = delivery
            const { enabled, secret, url } = webhook
            const of = { id, projectId, targetId, groupId, resendOf }
            return { ...of, requestBody, attempts, leases, url, enabled, secret }
          })
        }),
      ),

    settle: (results) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        state.write((transaction) => {
          for (const { delivery: leased, result } of results) {
            const delivery = held(transaction, leased)
            if (delivery === undefined) continue
            const { pause, ...outcome } = result
            const isPending = outcome.status === "pending"
            const dueAt = now + (pause === null ? 0 : Duration.toMillis(pause))
            state.deliveries.set(
              transaction,
              delivery.id,
              change(delivery, {
                ...outcome,
                attempts: delivery.attempts + 1,
                dueAt,
                nextAttemptAt: isPending ? DateTime.makeUnsafe(dueAt) : null,
                completedAt: isPending ? null : DateTime.makeUnsafe(now),
              }),
            )
          }
        }),
      ),

    release: (leased) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        state.write((transaction) => {
          for (const one of leased) {
            const delivery = held(transaction, one)
            if (delivery === undefined) continue
            state.deliveries.set(transaction, delivery.id, change(delivery, { dueAt: now }))
          }
        }),
      ),

    find: (projectId, targetId, id) =>
      state.read((reader) => Option.fromNullishOr(find(reader, projectId, targetId, id))),

    list: (projectId, targetId, { event, success }, page) =>
      state.read((reader) =>
        pageOf(state.deliveryIds.get(targetId)?.descending(reader, page.cursor) ?? [], page, (id) => {
          const delivery = find(reader, projectId, targetId, id)
          if (event !== null && delivery?.event !== event) return undefined
          return success === null || (delivery?.status === "succeeded") === success ? delivery : undefined
        }),
      ),

    removeSome: (projectId, targetId, limit) =>
      state.write((transaction) => {
        const ids = [...(state.deliveryIds.get(targetId)?.ascending(transaction) ?? [])]
          .filter((id) => find(transaction, projectId, targetId, id) !== undefined)
          .slice(0, limit)
        for (const id of ids) {
          state.deliveryIds.of(targetId).remove(transaction, id)
          state.deliveries.delete(transaction, id)
        }
        return ids.length
      }),

    forget: (age, limit) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        state.write((transaction) => {
          const before = now - Duration.toMillis(age)
          const old = [...state.deliveries.entries(transaction)]
            .filter(([, { completedAt }]) => completedAt !== null && completedAt.epochMilliseconds < before)
            .slice(0, limit)
          for (const [id, { targetId }] of old) {
            state.deliveryIds.of(targetId).remove(transaction, id)
            state.deliveries.delete(transaction, id)
          }
          return old.length
        }),
      ),
  }
}

// internal

const change = (delivery: DeliveryRow, changes: Partial<DeliveryRow>): DeliveryRow => ({
  ...delivery,
  ...changes,
})

const toDelivery = ({ dueAt, leases, ...delivery }: DeliveryRow): Delivery => delivery
