/** Loops that run until they are interrupted. */
import { type Cause, Effect, Schedule, type Scope } from "effect"
import { yieldToEventLoop } from "../internal/EventLoop.js"

/** Backoff for an unreachable storage: 0.2 to 5 seconds, without end. */
export const retrySchedule = Schedule.jittered(
  Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("5 seconds")]),
)

/** Repeats a turn. A failure is passed to `onFailure`, and the turn is retried with backoff. */
export const forever = <A, E, R, R2>(
  turn: Effect.Effect<A, E, R>,
  onFailure: (cause: Cause.Cause<E>) => Effect.Effect<void, never, R2>,
): Effect.Effect<never, never, R | R2> =>
  turn.pipe(
    Effect.tapCause(onFailure),
    // Retries defects too: an ended loop would go unnoticed.
    Effect.sandbox,
    Effect.retry(retrySchedule),
    // For the types alone: the schedule has no end.
    Effect.orDie,
    Effect.forever,
  )

/**
 * Starts loops that end with the scope. They start in the next turn of the event loop, so that opening an instance does
 * not wait for their first turn.
 */
export const start = <R>(
  loops: ReadonlyArray<Effect.Effect<never, never, R>>,
): Effect.Effect<void, never, R | Scope.Scope> =>
  yieldToEventLoop.pipe(
    Effect.andThen(
      Effect.forEach(loops, (loop) => Effect.forkScoped(loop, { startImmediately: true }), { discard: true }),
    ),
    Effect.forkScoped({ startImmediately: true }),
    Effect.asVoid,
  )
