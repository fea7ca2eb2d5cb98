/**
 * Heartbeats of workers that have leases of their own, written every few seconds instead of once per turn. A heartbeat
 * is written only if a worker completed or failed a turn since the last one.
 */
import { type Cause, Duration, Effect } from "effect"
import { failureOf } from "./Job.js"
import { JobStore } from "./JobStore.js"
import * as NodeName from "./NodeName.js"

/** Records the start of a worker, so that health checks do not report it as stale before its first turn ends. */
export const started = (name: string) =>
  Effect.gen(function* () {
    const jobs = yield* JobStore
    yield* Effect.ignore(jobs.heartbeat(name, yield* NodeName.fresh, interval, "started"))
  })

export const make = (name: string) =>
  Effect.gen(function* () {
    const jobs = yield* JobStore
    const node = yield* NodeName.fresh
    yield* started(name)
    let hasPassed = false
    let failure: string | null = null
    /** Writes a heartbeat. Returns whether it reported success. */
    const tell = Effect.gen(function* () {
      if (!hasPassed && failure === null) return false
      const isSuccess = hasPassed
      yield* jobs.heartbeat(name, node, interval, isSuccess || failure === null ? "succeeded" : { failure })
      hasPassed = false
      failure = null
      return isSuccess
    }).pipe(
      // The workers use the same storage and log its failures.
      Effect.orElseSucceed(() => false),
    )
    return {
      /** Notes that a worker completed a turn, whether or not it found work. */
      passed: Effect.sync(() => {
        hasPassed = true
      }),
      failed: (cause: Cause.Cause<unknown>) =>
        Effect.sync(() => {
          failure = failureOf(cause)
        }),
      /**
       * Runs beside the workers and never ends. Until the first success it beats every second, because the instance is
       * not ready before that.
       */
      beat: Effect.andThen(
        Effect.repeat(Effect.delay(tell, firstInterval), { until: (isSuccess) => isSuccess }),
        Effect.forever(Effect.delay(tell, interval)),
      ).pipe(Effect.interruptible),
    }
  })

// internal

const interval = Duration.seconds(5)
const firstInterval = Duration.seconds(1)
