import { Clock, Duration, Effect, Redacted } from "effect"
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
  ).pipe(Effect.updateService(Clock.Clock, recorded)) as Effect.Effect<A, E, Exclude<R, ErrataClient>>

/** Waits until a client sleeps until this many milliseconds after the start of the test. */
export const asleepUntil = (millis: number): Effect.Effect<void> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const deadline = Date.now() + 30_000
    while (!sleeps.get(clock)?.has(millis)) {
      if (Date.now() > deadline) return yield* Effect.die(new Error(`nobody sleeps until ${millis}`))
      yield* turn
    }
    yield* turn
  })

// internal

const turn = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 2)))

/** The ends of all sleeps, by clock. */
const sleeps = new WeakMap<Clock.Clock, Set<number>>()

const recorded = (clock: Clock.Clock): Clock.Clock => {
  const times = sleeps.get(clock) ?? new Set()
  sleeps.set(clock, times)
  return Object.setPrototypeOf(
    {
      sleep: (duration: Duration.Duration) =>
        Effect.suspend(() => {
          times.add(clock.currentTimeMillisUnsafe() + Duration.toMillis(duration))
          return clock.sleep(duration)
        }),
    },
    clock,
  )
}
