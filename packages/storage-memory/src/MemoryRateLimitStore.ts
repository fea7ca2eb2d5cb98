import { grantOf, type RateLimitStore } from "@errata/core/ports"
import { Clock, Duration, Effect } from "effect"
import type { State } from "./internal/State.js"

export const make = (state: State): RateLimitStore["Service"] => {
  // Drawn errors per minute, outside of transactions: a rollback does not return them.
  let minute = 0
  let drawn = 0
  return {
    take: (key, limit, window) =>
      state.write((transaction, now) => {
        const former = state.throttles.get(transaction, key)
        const isOver = former === undefined || former.endsAt <= now
        const row = isOver
          ? { taken: 1, endsAt: now + Duration.toMillis(window) }
          : { taken: Math.min(former.taken, limit) + 1, endsAt: former.endsAt }
        state.throttles.set(transaction, key, row)
        return { allowed: row.taken <= limit, after: Duration.millis(row.endsAt - now) }
      }),

    reset: (key) => state.write((transaction) => state.throttles.delete(transaction, key)),

    expire: (limit) =>
      state.write((transaction, now) => {
        const over: Array<string> = []
        for (const [key, { endsAt }] of state.throttles.entries(transaction)) {
          if (over.length < limit && endsAt <= now) over.push(key)
        }
        for (const key of over) state.throttles.delete(transaction, key)
        return over.length
      }),

    draw: (request) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const current = now - (now % minuteMillis)
        if (current !== minute) drawn = 0
        minute = current
        if (request.returned.minute === minute) drawn = Math.max(0, drawn - request.returned.errors)
        const remaining = Math.max(0, request.limit - drawn)
        const granted = grantOf(remaining, request)
        drawn += granted
        return { minute, granted, remaining: remaining - granted, endsIn: minute + minuteMillis - now }
      }),
  }
}

// internal

const minuteMillis = 60_000
