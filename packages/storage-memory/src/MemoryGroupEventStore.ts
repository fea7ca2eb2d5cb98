import { type GroupEventStore, type NewGroupEvent, webhooksConsumer } from "@errata/core/ports"
import { Duration } from "effect"
import { type GroupEventRow, type GroupEventSubscriptionRow, keyOf, type State } from "./internal/State.js"
import type { Reader, Transaction } from "./internal/Transaction.js"

export const make = (state: State): GroupEventStore["Service"] => {
  const hasWebhook = (reader: Reader, { event, projectId }: NewGroupEvent): boolean => {
    for (const id of state.targetIds.get(projectId)?.ascending(reader) ?? []) {
      const target = state.targets.get(reader, id)
      if (target?.enabled && target.events?.some((known) => known === event)) return true
    }
    return false
  }

  const consumersOf = (reader: Reader, event: NewGroupEvent, now: number): ReadonlySet<string> => {
    const consumers = new Set<string>()
    if (hasWebhook(reader, event)) consumers.add(webhooksConsumer)
    for (const [, subscription] of state.subscriptions.entries(reader)) {
      const isOf = subscription.projectId === null || subscription.projectId === event.projectId
      if (isOf && subscription.event === event.event && subscription.endsAt > now) {
        consumers.add(subscription.consumer)
      }
    }
    return consumers
  }

  const removeSubscriptions = (
    transaction: Transaction,
    isOver: (row: GroupEventSubscriptionRow) => boolean,
  ) => {
    for (const [key, row] of state.subscriptions.entries(transaction)) {
      if (isOver(row)) state.subscriptions.delete(transaction, key)
    }
  }

  const removeEvents = (transaction: Transaction, limit: number, isOver: (consumer: string) => boolean) => {
    let removed = 0
    for (const [id, { consumer }] of state.groupEvents.entries(transaction)) {
      if (removed === limit) break
      if (!isOver(consumer)) continue
      state.groupEvents.delete(transaction, id)
      removed++
    }
    return removed
  }

  return {
    append: (events) =>
      state.write((transaction, now) => {
        for (const event of events) {
          for (const consumer of consumersOf(transaction, event, now)) {
            const id = state.nextId("groupEvent")
            state.groupEvents.set(transaction, id, { ...event, id, consumer, attempts: 0, leasedUntil: 0 })
          }
        }
      }),

    subscribe: ({ consumer, duration, events, projects }) =>
      state.write((transaction, now) => {
        for (const event of events) {
          for (const projectId of projects ?? [null]) {
            const key = keyOf(projectId ?? 0, event, consumer)
            const known = state.subscriptions.get(transaction, key)?.endsAt ?? 0
            const endsAt = Math.max(known, now + Duration.toMillis(duration))
            state.subscriptions.set(transaction, key, { consumer, event, projectId, endsAt })
          }
        }
      }),

    unsubscribe: (consumer) =>
      state.write((transaction) => {
        removeSubscriptions(transaction, (row) => row.consumer === consumer)
        removeEvents(transaction, Infinity, (own) => own === consumer)
      }),

    removeAbandoned: (limit) =>
      state.write((transaction, now) => {
        removeSubscriptions(transaction, ({ endsAt }) => endsAt <= now)
        const left = new Set([...state.subscriptions.entries(transaction)].map(([, row]) => row.consumer))
        return removeEvents(transaction, limit, (own) => own !== webhooksConsumer && !left.has(own))
      }),

    lease: ({ consumer, duration, limit }) =>
      state.write((transaction, now) => {
        const leased: Array<GroupEventRow> = []
        // Groups with an earlier event that another node has leased.
        const held = new Set<number>()
        const rows = [...state.groupEvents.entries(transaction)].sort(([self], [that]) => self - that)
        for (const [id, row] of rows) {
          if (leased.length === limit) break
          if (row.consumer !== consumer) continue
          if (row.leasedUntil > now) held.add(row.groupId)
          else if (!held.has(row.groupId)) {
            const leasedUntil = now + Duration.toMillis(duration)
            const taken = { ...row, attempts: row.attempts + 1, leasedUntil }
            state.groupEvents.set(transaction, id, taken)
            leased.push(taken)
          }
        }
        return leased.map(({ consumer, leasedUntil, ...event }) => event)
      }),

    settle: (_, events) =>
      state.write((transaction) => {
        let complete = true
        for (const { attempts, id } of events) {
          if (state.groupEvents.get(transaction, id)?.attempts === attempts) {
            state.groupEvents.delete(transaction, id)
          } else complete = false
        }
        return complete
      }),

    release: (_, events) =>
      state.write((transaction) => {
        for (const { attempts, id } of events) {
          const row = state.groupEvents.get(transaction, id)
          if (row?.attempts === attempts) {
            state.groupEvents.set(transaction, id, { ...row, leasedUntil: 0 })
          }
        }
      }),
  }
}
