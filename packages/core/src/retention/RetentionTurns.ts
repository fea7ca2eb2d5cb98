/**
 * Schedules retention of any kind: nightly at 02:00 UTC by the storage's clock, after a missed night, and on request.
 */
import { Cause, DateTime, Duration, Effect, Option } from "effect"
import { failureOf, type Job } from "../background/Job.js"
import { Policies } from "../policy/Policies.js"
import type { InstancePolicies } from "../policy/Policy.js"
import { Storage } from "../storage/Storage.js"
import type { StorageError } from "../storage/StorageError.js"
import type { RetentionKind, RetentionRun, RetentionRunId } from "./RetentionRun.js"
import { RetentionStore } from "./RetentionStore.js"

export type RetentionPolicyName = "errorRetention" | "artifactRetention"

/** The deletion and measurement of one kind of retention. */
export interface RetentionWork<Name extends RetentionPolicyName, E, R> {
  readonly kind: RetentionKind
  readonly policy: Name
  /** Bytes of the stored data. */
  readonly size: Effect.Effect<number, StorageError, R>
  /** Returns true if the last run must be repeated before the next night. */
  readonly isToBeRetried: (last: RetentionRun, now: DateTime.Utc) => boolean
  /** Starts and performs a run. Returns whether disk usage is within the limit. */
  readonly purge: (id: RetentionRunId, policy: InstancePolicies[Name]) => Effect.Effect<boolean | null, E, R>
  /** Logs the result of a run. */
  readonly log: (run: RetentionRun) => Effect.Effect<void>
}

/** Performs the due run, if any. Returns whether there was one. */
export const turn = <Name extends RetentionPolicyName, E, R>(work: RetentionWork<Name, E, R>) =>
  Effect.gen(function* () {
    const { kind } = work
    const store = yield* RetentionStore
    const { now: storageNow, transaction } = yield* Storage
    const policy = yield* (yield* Policies).inForce(work.policy)
    const now = yield* storageNow
    const due = yield* transaction(
      Effect.gen(function* () {
        // Also if retention is disabled: enabling it in the afternoon must not delete anything before the night.
        const isNewNight = yield* store.enterNight(kind, nightBefore(now))
        const unfinished = yield* store.unfinished(kind)
        if (Option.isSome(unfinished) || !policy.enabled) return unfinished
        if (isNewNight) return Option.some(yield* store.request(kind, "nightly", null))
        const last = yield* store.lastFinished(kind)
        return Option.exists(last, (run) => work.isToBeRetried(run, now))
          ? Option.some(yield* store.request(kind, "retry", null))
          : Option.none<RetentionRun>()
      }),
    )
    if (Option.isNone(due)) return false
    yield* perform(work, due.value.id, policy)
    return true
  })

export const job = <E, R>(name: string, run: Effect.Effect<boolean, E, R>): Job<R> => ({
  name,
  // Short, because an admin may wait for a requested run.
  interval: () => Duration.seconds(2),
  run,
})

export const bytesOfGb = 1_000_000_000

// internal

/** An interrupted run stays `running`; the next node repeats it. */
const perform = <Name extends RetentionPolicyName, E, R>(
  { log, purge, size }: RetentionWork<Name, E, R>,
  id: RetentionRunId,
  policy: InstancePolicies[Name],
) =>
  Effect.gen(function* () {
    const store = yield* RetentionStore
    const finish = (isWithinDiskLimit: boolean | null, failure: string | null) =>
      Effect.flatMap(size, (bytesAfter) => store.finish(id, { bytesAfter, isWithinDiskLimit, failure }))
    const isWithinDiskLimit = yield* purge(id, policy).pipe(
      Effect.tapCause((cause) =>
        Cause.hasInterrupts(cause)
          ? Effect.void
          : // If the storage is unavailable, the run is repeated.
            Effect.catch(finish(null, failureOf(cause)), (error) =>
              Effect.logDebug("Recording the failure of a retention run failed", Cause.fail(error)),
            ),
      ),
    )
    yield* finish(isWithinDiskLimit, null)
    const done = yield* store.find(id)
    if (Option.isSome(done)) yield* log(done.value)
  })

/** The last 02:00 UTC. */
const nightBefore = (now: DateTime.Utc): DateTime.Utc =>
  DateTime.add(DateTime.startOf(DateTime.subtract(now, { hours: nightlyHour }), "day"), {
    hours: nightlyHour,
  })

const nightlyHour = 2
