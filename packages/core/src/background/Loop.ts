/** Work that goes on until it is interrupted. */
import { type Cause, Effect, Schedule, type Scope } from "effect"
import { yieldToEventLoop } from "../internal/EventLoop.js"

/** For a storage that is away: from a fifth of a second up to five, for ever. */
export const retrySchedule = Schedule.jittered(
  Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("5 seconds")]),
)

/** One turn after the other. What fails is told, and tried again after a pause. */
export const forever = <A, E, R, R2>(
  turn: Effect.Effect<A, E, R>,
  onFailure: (cause: Cause.Cause<E>) => Effect.Effect<void, never, R2>,
): Effect.Effect<never, never, R | R2> =>
  turn.pipe(
    Effect.tapCause(onFailure),
    // Of defects too: a loop that ended would be missed by nobody.
    Effect.sandbox,
    Effect.retry(retrySchedule),
    // For the types alone: the schedule has no end.
    Effect.orDie,
    Effect.forever,
  )

/**
 * Starts loops that end with the scope, in the next turn of the event loop: whoever opens an instance has it before it goes
 * to work.
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
