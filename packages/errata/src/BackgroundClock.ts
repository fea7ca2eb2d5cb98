/** A clock whose timers do not keep the process alive. Calls do, until they end: see `Gate`. */
import { Clock, Duration, Effect, Layer } from "effect"

export const layer: Layer.Layer<never> = Layer.effect(
  Clock.Clock,
  Effect.clockWith((own) =>
    Effect.succeed({
      ...own,
      sleep: (duration: Duration.Duration) => wait(Duration.toMillis(duration)),
      currentTimeMillisUnsafe: () => own.currentTimeMillisUnsafe(),
      currentTimeNanosUnsafe: () => own.currentTimeNanosUnsafe(),
      monotonicTimeNanosUnsafe: () => own.monotonicTimeNanosUnsafe(),
    }),
  ),
)

// internal

/** Longer timers fire immediately. */
const maxMillis = 2 ** 31 - 1

const wait = (millis: number): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const timer = setTimeout(() => resume(Effect.void), Math.min(millis, maxMillis)).unref()
    return Effect.sync(() => clearTimeout(timer))
  }).pipe(Effect.andThen(millis > maxMillis ? Effect.suspend(() => wait(millis - maxMillis)) : Effect.void))
