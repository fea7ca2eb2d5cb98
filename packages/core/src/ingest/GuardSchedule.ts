/** Repeats the checks of the intake guard every second while requests arrive. */
import { Duration, Effect, Queue, type Scope } from "effect"

export interface GuardSchedule {
  /** A request arrived. The first one starts the schedule; later ones resume it after a quiet time. */
  readonly noteRequest: () => void
  /** Runs the next check as soon as possible. */
  readonly hurry: () => void
}

/** Milliseconds between two checks. */
export const interval = 1000

export const make = (check: Effect.Effect<void>): Effect.Effect<GuardSchedule, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const runFork = Effect.runForkWith(yield* Effect.context<never>())
    const wake = yield* Queue.sliding<void>(1)
    let isRunning = false
    /** Checks since the last request. */
    let quietChecks = 0

    // Counting a large queue takes a while, so checks get a twentieth of the time. The wait has a limit, because a machine
    // that was suspended meanwhile seems to have counted for hours.
    const loop = Effect.gen(function* () {
      const [took] = yield* Effect.timed(check)
      const least = Math.min(Math.max(shortestInterval, 20 * Duration.toMillis(took)), longestInterval)
      yield* Effect.sleep(least)
      yield* Effect.raceFirst(Queue.take(wake), Effect.sleep(Math.max(0, interval - least)))
      if (quietChecks++ >= maxQuietChecks) yield* Queue.take(wake)
    }).pipe(Effect.forever)

    const hurry = () => {
      Queue.offerUnsafe(wake, undefined)
    }
    const noteRequest = () => {
      const wasRunning = isRunning
      const wasQuiet = quietChecks > maxQuietChecks
      isRunning = true
      quietChecks = 0
      if (!wasRunning) runFork(Effect.forkIn(Effect.interruptible(loop), scope))
      else if (wasQuiet) hurry()
    }
    return { noteRequest, hurry }
  })

// internal

const shortestInterval = 100
const longestInterval = 60_000

/** Enough to give back the unused part of the rate budget. */
const maxQuietChecks = 3
