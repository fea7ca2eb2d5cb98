import { grantOf, type RateWindow } from "@errata/core/ports"
import { Clock, Effect } from "effect"

/** Counts drawn errors per minute, outside of transactions: a rollback does not return them. */
export const make = (): RateWindow["Service"] => {
  let minute = 0
  let drawn = 0
  return {
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
