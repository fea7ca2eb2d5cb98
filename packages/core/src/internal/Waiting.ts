import { type Duration, Effect, type Option } from "effect"

/**
 * Waits for so long at most, also within a region that may not be interrupted, such as a finalizer, and where the work does
 * not notice that it is interrupted, as that of a storage that hangs; none where it was too long. The work is interrupted
 * then, and goes on in the background until it is where it can be. Who is told to end within such a region waits as before.
 */
export const atMost =
  (limit: Duration.Input) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<Option.Option<A>, E, R> =>
    Effect.disconnect(work).pipe(
      // In this order: to be interrupted is the waiting for what is disconnected.
      Effect.interruptible,
      Effect.timeoutOption(limit),
      // Who may not be interrupted passes it on to the fibers of a time limit all the same, if they are its own.
      Effect.disconnect,
    )
