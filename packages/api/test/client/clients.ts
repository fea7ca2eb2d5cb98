import { TestClock } from "effect/testing"
import { Effect, Redacted, type TestServices } from "effect"
import { ErrataClient, type ErrataClientOptions } from "../../src/client/index.js"

export const apiKey = "errata_secret_0123456789"

/** Uses a client of the server at a URL. */
export const using = <A, E, R>(
  baseUrl: string,
  use: (errata: ErrataClient["Service"]) => Effect.Effect<A, E, R>,
  options: Partial<ErrataClientOptions> = {},
): Effect.Effect<A, E, Exclude<R, ErrataClient>> =>
  Effect.provide(
    Effect.flatMap(ErrataClient, use),
    ErrataClient.layerFetch({ baseUrl, apiKey: Redacted.make(apiKey), ...options }),
  ) as Effect.Effect<A, E, Exclude<R, ErrataClient>>

/** Until somebody sleeps until so many milliseconds after the start of the test. */
export const asleepUntil = (millis: number): Effect.Effect<void, never, TestServices.TestServices> =>
  Effect.gen(function* () {
    const deadline = Date.now() + 30_000
    while (!Array.from(yield* TestClock.sleeps()).includes(millis)) {
      if (Date.now() > deadline) return yield* Effect.die(new Error(`nobody sleeps until ${millis}`))
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 2)))
    }
  })
