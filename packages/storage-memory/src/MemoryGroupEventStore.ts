import type { GroupEventStore, NewGroupEvent } from "@errata/core/ports"
import { Clock, Duration, Effect } from "effect"
import type { GroupEventRow, State } from "./internal/State.js"
import type { Reader } from "./internal/Transaction.js"

export const make = (state: State): GroupEventStore["Service"] => {
  const isSubscribed = (reader: Reader, { event, projectId }: NewGroupEvent): boolean => {
    for (const id of state.webhookIds.get(projectId)?.ascending(reader) ?? []) {
      const webhook = state.webhooks.get(reader, id)
      if (webhook?.enabled && webhook.events.includes(event)) return true
    }
    return false
  }

  return {
    append: (events) =>
      state.write((transaction) => {
        for (const event of events) {
          if (!isSubscribed(transaction, event)) continue
          const id = state.nextId("groupEvent")
          state.groupEvents.set(transaction, id, { ...event, id, attempts: 0, leasedUntil: 0 })
        }
      }),

    lease: ({ duration, limit }) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        state.write((transaction) => {
          const leased: Array<GroupEventRow> = []
          // Groups with an earlier event that is another's.
          const held = new Set<number>()
          const rows = [...state.groupEvents.entries(transaction)].sort(([self], [that]) => self - that)
          for (const [id, row] of rows) {
            if (leased.length === limit) break
            if (row.leasedUntil > now) held.add(row.groupId)
            else if (!held.has(row.groupId)) {
              const leasedUntil = now + Duration.toMillis(duration)
              const taken = { ...row, attempts: row.attempts + 1, leasedUntil }
              state.groupEvents.set(transaction, id, taken)
              leased.push(taken)
            }
          }
          return leased.map(({ leasedUntil, ...event }) => event)
        }),
      ),

    settle: (events) =>
      state.write((transaction) => {
        let complete = true
        for (const { attempts, id } of events) {
          if (state.groupEvents.get(transaction, id)?.attempts === attempts) {
            state.groupEvents.delete(transaction, id)
          } else complete = false
        }
        return complete
      }),
  }
}
