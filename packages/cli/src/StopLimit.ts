/** The longest time that a stop of the server takes. */
import { Duration, Effect, Fiber, type Scope } from "effect"

/** Containers get ten seconds before they are killed. */
const longestStop = Duration.seconds(8)

/**
 * Returns an effect for the beginning of the stop. The effect ends the process `longestStop` after the time for draining.
 * Make the limit first in its scope: the stop is over when the scope is closed. The storage holds the queue, so the work
 * goes on after the next start.
 */
export const make = (drainTime: Duration.Duration): Effect.Effect<Effect.Effect<void>, never, Scope.Scope> =>
  Effect.gen(function* () {
    let waiting: Fiber.Fiber<void> | undefined
    yield* Effect.addFinalizer(() => (waiting === undefined ? Effect.void : Fiber.interrupt(waiting)))
    const end = Effect.logWarning(
      `Stopping took more than ${Duration.format(longestStop)}; the server ends now, and its work goes on after the next start`,
    ).pipe(Effect.zipRight(Effect.sync(() => process.exit(0))))
    return Effect.suspend(() =>
      Effect.map(
        Effect.forkDaemon(Effect.interruptible(Effect.delay(end, Duration.sum(drainTime, longestStop)))),
        (fiber) => {
          waiting = fiber
        },
      ),
    )
  })
