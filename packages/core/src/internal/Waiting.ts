import { type Duration, Effect, Fiber, type Option } from "effect"

/**
 * Runs work in a fiber of its own. An interrupted caller interrupts that fiber and continues without waiting for it. Work
 * that ignores interruption, such as a call to a hanging storage, blocks no caller.
 */
export const disconnect = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDetach(work, { startImmediately: true }), (fiber) =>
      Effect.onInterrupt(restore(Fiber.join(fiber)), () => Effect.sync(() => fiber.interruptUnsafe())),
    ),
  )

/**
 * Waits at most this long, also in an uninterruptible region such as a finalizer; none after that. The work is then
 * interrupted, and continues in the background until it can end. Interrupting the caller in an uninterruptible region has
 * to wait as before.
 */
export const atMost =
  (limit: Duration.Input) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<Option.Option<A>, E, R> =>
    Effect.timeoutOption(disconnect(work), limit)
