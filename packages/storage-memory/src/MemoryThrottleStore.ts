import type { ThrottleStore } from "@errata/core/ports"
import { Clock, Duration, Effect } from "effect"
import type { State } from "./internal/State.js"

export const make = (state: State): ThrottleStore["Service"] => ({
  take: (key, limit, window) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      state.write((transaction) => {
        const former = state.throttles.get(transaction, key)
        const isOver = former === undefined || former.endsAt <= now
        const row = isOver
          ? { taken: 1, endsAt: now + Duration.toMillis(window) }
          : { taken: Math.min(former.taken, limit) + 1, endsAt: former.endsAt }
        state.throttles.set(transaction, key, row)
        return { allowed: row.taken <= limit, after: Duration.millis(row.endsAt - now) }
      }),
    ),

  reset: (key) => state.write((transaction) => state.throttles.delete(transaction, key)),

  expire: (limit) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      state.write((transaction) => {
        const over: Array<string> = []
        for (const [key, { endsAt }] of state.throttles.entries(transaction)) {
          if (over.length < limit && endsAt <= now) over.push(key)
        }
        for (const key of over) state.throttles.delete(transaction, key)
        return over.length
      }),
    ),
})
