import { type Delivery, DeliveryId, webhookKind } from "@errata/core"
import type { DeliveryStore, LeasedDelivery, StoredTarget } from "@errata/core/ports"
import { DateTime, Duration, Option } from "effect"
import type { DeliveryRow } from "./internal/NotificationTables.js"
import { pageOf } from "./internal/Pages.js"
import type { State } from "./internal/State.js"
import { removeDelivery } from "./internal/Targets.js"
import type { Reader } from "./internal/Transaction.js"

export const make = (state: State): DeliveryStore["Service"] => {
  const find = (reader: Reader, projectId: number, targetId: number, id: number): Delivery | undefined => {
    const row = state.deliveries.get(reader, id)
    return row?.projectId === projectId && row.targetId === targetId ? toDelivery(row) : undefined
  }

  /** The deliveries of a target that can be leased, in order. */
  const takeable = (reader: Reader, targetId: number, now: number): ReadonlyArray<DeliveryRow> => {
    const groups = new Set<number>()
    const rows: Array<DeliveryRow> = []
    for (const id of state.deliveryIds.get(targetId)?.ascending(reader) ?? []) {
      const delivery = state.deliveries.get(reader, id)!
      if (delivery.status !== "pending") continue
      const { attempts, dueAt, groupId } = delivery
      // An untried delivery of a group blocks later ones of that group, even while it is leased.
      const isHeldUp = attempts === 0 && groupId !== null && groups.has(groupId)
      if (attempts === 0 && groupId !== null) groups.add(groupId)
      if (!isHeldUp && dueAt <= now) rows.push(delivery)
    }
    const rank = ({ groupId }: DeliveryRow) => (groupId === null ? 0 : 1)
    return rows.sort((self, that) => rank(self) - rank(that) || self.dueAt - that.dueAt || self.id - that.id)
  }

  /** Ids of a project's deliveries, optionally below `before`, in descending order. */
  const ofProject = (reader: Reader, projectId: number, before: number | null): ReadonlyArray<number> =>
    [...(state.targetIds.get(projectId)?.ascending(reader) ?? [])]
      .flatMap((targetId) => [...(state.deliveryIds.get(targetId)?.descending(reader, before) ?? [])])
      .sort((a, b) => b - a)

  /** The delivery, if the caller's lease still holds. */
  const held = (reader: Reader, { id, leases }: LeasedDelivery): DeliveryRow | undefined => {
    const delivery = state.deliveries.get(reader, id)
    return delivery?.leases === leases && delivery.status === "pending" ? delivery : undefined
  }

  return {
    insert: (deliveries, now) =>
      state.write((transaction, dueAt) =>
        deliveries.map(({ heldBack, ...input }) => {
          const target = state.targets.get(transaction, input.targetId)
          if (target?.projectId !== input.projectId) return null
          const id = DeliveryId.make(state.nextId("delivery"))
          state.deliveries.set(transaction, id, {
            ...input,
            id,
            status: heldBack === null ? "pending" : "throttled",
            throttle: heldBack?.throttle ?? null,
            attempts: 0,
            responseStatus: null,
            error: heldBack?.reason ?? null,
            durationMs: null,
            nextAttemptAt: heldBack === null ? now : null,
            dueAt,
            leases: 0,
            createdAt: now,
            completedAt: heldBack === null ? null : DateTime.makeUnsafe(dueAt),
          })
          state.deliveryIds.of(input.targetId).add(transaction, id)
          return id
        }),
      ),

    lease: ({ duration, exceptions, limit, perTarget }) =>
      state.write((transaction, now) => {
        const limits = new Map(exceptions.map((exception) => [exception.targetId, exception.limit]))
        const turns = [...state.targets.entries(transaction)].flatMap(([, target]) =>
          state.projects.has(transaction, target.projectId)
            ? takeable(transaction, target.id, now)
                .slice(0, limits.get(target.id) ?? perTarget)
                .map((delivery, turn) => ({ delivery, turn, target }))
            : [],
        )
        turns.sort((self, that) => self.turn - that.turn || self.delivery.id - that.delivery.id)
        return turns.slice(0, limit).map(({ delivery, target }) => {
          const leases = delivery.leases + 1
          const dueAt = now + Duration.toMillis(duration)
          state.deliveries.set(transaction, delivery.id, change(delivery, { leases, dueAt }))
          state.attended.set(transaction, target.id, now)
          return toLeased(delivery, target, leases)
        })
      }),

    settle: (results) =>
      state.write((transaction, now) => {
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

    release: (leased) =>
      state.write((transaction, now) => {
        for (const one of leased) {
          const delivery = held(transaction, one)
          if (delivery === undefined) continue
          state.deliveries.set(transaction, delivery.id, change(delivery, { dueAt: now }))
        }
      }),

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

    notifications: (projectId, { groupId, ruleId, status, targetId }, page) =>
      state.read((reader) =>
        pageOf(ofProject(reader, projectId, page.cursor), page, (id) => {
          const row = state.deliveries.get(reader, id)!
          if (state.targets.get(reader, row.targetId)?.kind === webhookKind) return undefined
          if (targetId !== null && row.targetId !== targetId) return undefined
          if (ruleId !== null && row.ruleId !== ruleId) return undefined
          if (groupId !== null && row.groupId !== groupId) return undefined
          return status === null || row.status === status ? toDelivery(row) : undefined
        }),
      ),

    heldBack: (projectId, targetId, throttle, since, until) =>
      state.read((reader) => {
        const receivers = new Map<string, { readonly row: DeliveryRow; readonly bodies: Array<string> }>()
        for (const id of ofProject(reader, projectId, null)) {
          const row = state.deliveries.get(reader, id)!
          if (row.throttle !== throttle || (targetId !== null && row.targetId !== targetId)) continue
          if (DateTime.isLessThan(row.createdAt, since) || !DateTime.isLessThan(row.createdAt, until))
            continue
          const key = JSON.stringify([row.targetId, row.userId, row.recipient])
          const known = receivers.get(key)
          if (known === undefined) receivers.set(key, { row, bodies: [row.requestBody] })
          else known.bodies.push(row.requestBody)
        }
        return Array.from(receivers.values(), ({ bodies, row: { recipient, targetId, userId } }) => ({
          targetId,
          userId,
          recipient,
          count: bodies.length,
          newest: bodies.slice(0, newestHeldBack),
        }))
      }),

    removeSome: (projectId, targetId, limit) =>
      state.write((transaction) => {
        const ids = [...(state.deliveryIds.get(targetId)?.ascending(transaction) ?? [])]
          .filter((id) => find(transaction, projectId, targetId, id) !== undefined)
          .slice(0, limit)
        for (const id of ids) removeDelivery(state, transaction, targetId, id)
        return ids.length
      }),

    forget: (age, limit) =>
      state.write((transaction, now) => {
        const before = now - Duration.toMillis(age)
        const old = [...state.deliveries.entries(transaction)]
          .filter(([, { completedAt }]) => completedAt !== null && completedAt.epochMilliseconds < before)
          .slice(0, limit)
        for (const [id, { targetId }] of old) removeDelivery(state, transaction, targetId, id)
        return old.length
      }),
  }
}

// internal

const change = (delivery: DeliveryRow, changes: Partial<DeliveryRow>): DeliveryRow => ({
  ...delivery,
  ...changes,
})

/** Same limit as `HeldBack.newest`. */
const newestHeldBack = 10

const toLeased = (delivery: DeliveryRow, target: StoredTarget, leases: number): LeasedDelivery => {
  const { attempts, event, groupId, id, projectId, recipient, requestBody, resendOf, targetId, userId } =
    delivery
  const { address, enabled, failingSince, kind, secret, url } = target
  return {
    ...{
      id,
      projectId,
      targetId,
      groupId,
      event,
      userId,
      recipient,
      resendOf,
      requestBody,
      attempts,
      leases,
    },
    ...{ kind, url, address, enabled, isFailing: failingSince !== null, secret },
  }
}

const toDelivery = ({ dueAt, leases, ...delivery }: DeliveryRow): Delivery => delivery
