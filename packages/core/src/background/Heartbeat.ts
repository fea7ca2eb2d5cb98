/**
 * Tells other nodes that work which shares itself out by leases of its own goes on, every few seconds and not for every
 * turn. It speaks of what the workers have come to since: of workers that come to nothing nothing is heard.
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
    /** Answers whether it has told that the workers get on. */
    const tell = Effect.gen(function* () {
      if (!hasPassed && failure === null) return false
      const told = hasPassed
      yield* jobs.heartbeat(name, node, interval, told || failure === null ? "succeeded" : { failure })
      hasPassed = false
      failure = null
      return told
    }).pipe(
      // The workers meet the same storage, and tell of it.
      Effect.orElseSucceed(() => false),
    )
    return {
      /** A worker has come to the end of a turn, whether or not there was anything to do. */
      passed: Effect.sync(() => {
        hasPassed = true
      }),
      failed: (cause: Cause.Cause<unknown>) =>
        Effect.sync(() => {
          failure = failureOf(cause)
        }),
      /**
       * To be run beside the workers; does not end. The first one comes as soon as there is something to tell: until then
       * the instance is not ready.
       */
      beat: Effect.andThen(
        Effect.repeat(Effect.delay(tell, firstInterval), { until: (told) => told }),
        Effect.forever(Effect.delay(tell, interval)),
      ).pipe(Effect.interruptible),
    }
  })

// internal

const interval = Duration.seconds(5)
const firstInterval = Duration.seconds(1)
