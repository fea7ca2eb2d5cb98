/** A rate budget whose minute does not change during a test. */
import { grantOf, type RateWindow } from "@errata/core/ports"
import { Effect } from "effect"

export const make = (): RateWindow["Service"] => {
  let drawn = 0
  return {
    draw: (request) =>
      Effect.sync(() => {
        if (request.returned.minute === minute) drawn -= request.returned.errors
        const remaining = Math.max(0, request.limit - drawn)
        const granted = grantOf(remaining, request)
        drawn += granted
        return { minute, granted, remaining: remaining - granted, endsIn: 30_000 }
      }),
  }
}

// internal

const minute = 60_000
