/**
 * Turns of retention, whatever it removes: nightly at 02:00 UTC by the storage's clock, or as soon as a node is there
 * again, and when a run is asked for.
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

/** What one kind of retention keeps, and how it removes it. */
export interface RetentionWork<Name extends RetentionPolicyName, E, R> {
  readonly kind: RetentionKind
  readonly policy: Name
  /** Bytes that it takes. */
  readonly size: Effect.Effect<number, StorageError, R>
  /** Whether there is to be another run after the last one, this night or not. */
  readonly isToBeRetried: (last: RetentionRun, now: DateTime.Utc) => boolean
  /** Begins a run and removes what there is to remove; answers whether the use of the disk is within the limit. */
  readonly purge: (id: RetentionRunId, policy: InstancePolicies[Name]) => Effect.Effect<boolean | null, E, R>
  /** Tells what a run has removed. */
  readonly log: (run: RetentionRun) => Effect.Effect<void>
}

/** Does the run that there is to do now, to its end; answers whether there was one. */
export const turn = <Name extends RetentionPolicyName, E, R>(work: RetentionWork<Name, E, R>) =>
  Effect.gen(function* () {
    const { kind } = work
    const store = yield* RetentionStore
    const { now: storageNow, transaction } = yield* Storage
    const policy = yield* (yield* Policies).inForce(work.policy)
    const now = yield* storageNow
    const due = yield* transaction(
      Effect.gen(function* () {
        // Also where retention is off: who switches it on in the afternoon is not to lose anything before the night.
        const isNewNight = yield* store.enterNight(kind, nightBefore(now))
        const unfinished = yield* store.unfinished(kind)
        if (unfinished._tag === "Some" || !policy.enabled) return unfinished
        if (isNewNight) return Option.some(yield* store.request(kind, "nightly", null))
        const last = yield* store.lastFinished(kind)
        return Option.exists(last, (run) => work.isToBeRetried(run, now))
          ? Option.some(yield* store.request(kind, "retry", null))
          : Option.none<RetentionRun>()
      }),
    )
    if (due._tag === "None") return false
    yield* perform(work, due.value.id, policy)
    return true
  })

export const job = <E, R>(name: string, run: Effect.Effect<boolean, E, R>): Job<R> => ({
  name,
  // So often it is looked whether a run is due: whoever asks for one waits for it.
  interval: () => Duration.seconds(2),
  run,
})

export const bytesOfGb = 1_000_000_000

// internal

/** A run that is interrupted stays begun, and whoever has the work next does it again. */
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
          : // Where the storage is away there is nobody to tell: then the run is done again as well.
            Effect.catch(finish(null, failureOf(cause)), (error) =>
              Effect.logDebug("Recording the failure of a retention run failed", Cause.fail(error)),
            ),
      ),
    )
    yield* finish(isWithinDiskLimit, null)
    const done = yield* store.find(id)
    if (done._tag === "Some") yield* log(done.value)
  })

/** The last 02:00 UTC. */
const nightBefore = (now: DateTime.Utc): DateTime.Utc =>
  DateTime.add(DateTime.startOf(DateTime.subtract(now, { hours: nightlyHour }), "day"), {
    hours: nightlyHour,
  })

const nightlyHour = 2
