/** The time of an instance. Its timers do not keep the process alive. Calls do, until they end: see `Gate`. */
import { RealTimers } from "@errata/core/internal"
import { Clock, Duration, Effect, Layer, Scheduler } from "effect"

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
).pipe(Layer.merge(Layer.succeed(Scheduler.Scheduler, RealTimers.scheduler)))

// internal

/** Longer timers fire immediately. */
const maxMillis = 2 ** 31 - 1

const wait = (millis: number): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const timer = RealTimers.setTimeout(() => resume(Effect.void), Math.min(millis, maxMillis)).unref()
    return Effect.sync(() => RealTimers.clearTimeout(timer))
  }).pipe(Effect.andThen(millis > maxMillis ? Effect.suspend(() => wait(millis - maxMillis)) : Effect.void))
