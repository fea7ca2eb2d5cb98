/** Limits the time that a server takes to stop. */
import { Duration, Effect, Fiber, type Scope } from "effect"

/** Longest stop of a server besides its time for draining. Containers are killed after ten seconds. */
export const longestStop = Duration.seconds(8)

/**
 * Returns an effect to run when the stop begins. It ends the process after the time for draining plus `longestStop`.
 * Closing the scope cancels this, so create the limit first in its scope. Accepted events are in the storage, and are
 * recorded after the next start.
 */
export const make = (drainTime: Duration.Duration): Effect.Effect<Effect.Effect<void>, never, Scope.Scope> =>
  Effect.gen(function* () {
    let waiting: Fiber.Fiber<void> | undefined
    yield* Effect.addFinalizer(() => (waiting === undefined ? Effect.void : Fiber.interrupt(waiting)))
    const end = Effect.logWarning(
      "Stopping took too long. The server exits now and continues its work at the next start",
    ).pipe(
      Effect.annotateLogs("limit", Duration.format(longestStop)),
      Effect.andThen(Effect.sync(() => process.exit(0))),
    )
    return Effect.suspend(() =>
      Effect.map(
        Effect.forkDetach(Effect.interruptible(Effect.delay(end, Duration.sum(drainTime, longestStop)))),
        (fiber) => {
          waiting = fiber
        },
      ),
    )
  })
