/** Stores with a rate budget whose minute does not change during a test. */
import type { Services } from "@errata/core"
import { grantOf, RateLimitStore } from "@errata/core/ports"
import { Context, Effect, type Layer } from "effect"
import { changedStores } from "./changedStores.js"

export const layer = (): Layer.Layer<Services.Stores> => {
  let drawn = 0
  const draw: RateLimitStore["Service"]["draw"] = (request) =>
    Effect.sync(() => {
      if (request.returned.minute === minute) drawn -= request.returned.errors
      const remaining = Math.max(0, request.limit - drawn)
      const granted = grantOf(remaining, request)
      drawn += granted
      return { minute, granted, remaining: remaining - granted, endsIn: 30_000 }
    })
  return changedStores((stores) =>
    Context.add(stores, RateLimitStore, { ...Context.get(stores, RateLimitStore), draw }),
  )
}

// internal

const minute = 60_000
