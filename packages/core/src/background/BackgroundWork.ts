/**
 * Runs background jobs while the scope is open. Each runs at its interval, on one node at a time. After a node is
 * killed, its jobs wait until their leases expire.
 */
import { Cause, Data, Duration, Effect, Exit, Layer, Option, Random, Schedule } from "effect"
import { ErrataConfig } from "../ErrataConfig.js"
import * as Waiting from "../internal/Waiting.js"
import { StorageOutage } from "../storage/StorageOutage.js"
import { failureOf, type Job, type JobOutcome } from "./Job.js"
import { JobStore } from "./JobStore.js"
import * as Loop from "./Loop.js"
import * as NodeName from "./NodeName.js"

/** Runs these jobs. Their names must be distinct. */
export const layer = <R>(jobs: ReadonlyArray<Job<R>>): Layer.Layer<never, never, R | JobStore> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const node = yield* NodeName.fresh
      yield* Loop.start(jobs.map((job) => repeat(job, node)))
    }),
  )

// internal

/** Another node holds the lease, or may hold it. */
class LeaseLost extends Data.TaggedError("LeaseLost") {}

const repeat = <R>(job: Job<R>, node: string): Effect.Effect<never, never, R | JobStore> =>
  Effect.gen(function* () {
    const settings = yield* ErrataConfig
    const jobs = yield* JobStore
    const outage = yield* StorageOutage
    const interval = job.interval?.(settings) ?? settings.backgroundInterval
    const lease = settings.backgroundLease

    /** Renews the lease until it is lost. If the renewal fails for a third of the lease, gives up before it expires. */
    const keep = jobs.renew(job.name, node, lease).pipe(
      Effect.retry(Schedule.spaced(Duration.times(lease, 1 / 30))),
      Waiting.disconnect,
      Effect.timeoutOrElse({
        duration: Duration.times(lease, 1 / 3),
        orElse: () => Effect.fail(new LeaseLost()),
      }),
      Effect.flatMap((isHeld) => (isHeld ? Effect.void : new LeaseLost())),
      Effect.delay(Duration.times(lease, 1 / 3)),
      Effect.forever,
    )

    const release = (outcome: JobOutcome) =>
      jobs.release(job.name, node, outcome).pipe(
        // A stopping node does not wait for an unreachable storage. The lease expires by itself.
        Waiting.atMost(pause),
        Effect.catchCause((cause) => outage.logFailure("Releasing a background job failed", cause)),
      )

    /** Failures of this node in a row. */
    let failures = 0

    /** Stores the outcome and returns the time until the next turn. A job whose lease was lost is still due. */
    const settle = Effect.fnUntraced(function* (exit: Exit.Exit<unknown, unknown>) {
      const failuresBefore = failures
      failures = 0
      if (Exit.isSuccess(exit)) {
        yield* release({ _tag: "Succeeded", next: interval })
        return interval
      }
      if (Cause.hasInterruptsOnly(exit.cause)) {
        yield* release({ _tag: "Interrupted" })
        return interval
      }
      if (isLost(exit)) {
        yield* Effect.logInfo("Lost the lease of a background job")
        return lease
      }
      failures = failuresBefore + 1
      const next = retryAfter(failures, interval)
      yield* outage.logFailure("A background job failed", exit.cause)
      yield* release({ _tag: "Failed", failure: failureOf(exit.cause), next })
      return next
    })

    const run = Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Effect.exit(restore(Effect.raceFirst(job.run, keep))), settle),
    )

    const turn = Effect.gen(function* () {
      const turn = yield* jobs.acquire(job.name, node, lease)
      const wait = turn._tag === "Acquired" ? yield* run : turn.after
      yield* Effect.sleep(yield* scattered(wait, interval))
    })
    const turns = turn.pipe(
      Effect.catchCause((cause) =>
        Effect.andThen(
          outage.logFailure("Leasing a background job failed", cause),
          Effect.flatMap(scattered(pause, pause), Effect.sleep),
        ),
      ),
      Effect.forever,
    )
    // Spreads the first turns of nodes that start at the same time.
    return yield* Effect.andThen(
      Effect.flatMap(scattered(Duration.zero, interval), Effect.sleep),
      Effect.annotateLogs(turns, "job", job.name),
    )
  })

/** The pause after failures in a row: a minute, then twice as long each time, at most the interval of the job. */
const retryAfter = (failures: number, interval: Duration.Duration) =>
  Duration.min(interval, Duration.minutes(2 ** (failures - 1)))

/** The delay before retrying while the storage is unreachable, and the time limit for a release. */
const pause = Duration.seconds(5)

/** Adds jitter: up to a twentieth of the interval. */
const scattered = (duration: Duration.Duration, interval: Duration.Duration) =>
  Effect.map(Random.next, (share) =>
    Duration.sum(duration, Duration.times(Duration.min(interval, longestScattered), share / 20)),
  )

const longestScattered = Duration.minutes(5)

const isLost = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Option.exists(Exit.findErrorOption(exit), (error) => error instanceof LeaseLost)
