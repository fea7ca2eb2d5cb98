/**
 * Does the runs of retention in the background: nightly at 02:00 UTC by the storage's clock, or as soon as a node is there
 * again; when they are asked for; and an hour after one that found something in use.
 */
import { Cause, DateTime, Duration, Effect, Option } from "effect"
import { Policies } from "../administration/Policies.js"
import { failureOf, type Job } from "../background/Job.js"
import type { ErrorRetention } from "../policy/Policy.js"
import { DiskSpace } from "../storage/DiskSpace.js"
import { Storage } from "../storage/Storage.js"
import type { RetentionRun, RetentionRunId } from "./RetentionRun.js"
import { RetentionStore } from "./RetentionStore.js"

/** Does the run that there is to do now, to its end; answers whether there was one. */
export const turn = Effect.gen(function* () {
  const store = yield* RetentionStore
  const policies = yield* Policies
  const { transaction } = yield* Storage
  const policy = yield* policies.inForce("errorRetention")
  const now = yield* store.now
  const due = transaction(
    Effect.gen(function* () {
      // Also where retention is off: who switches it on in the afternoon is not to lose anything before the night.
      const isNewNight = yield* store.enterNight("errors", nightBefore(now))
      const unfinished = yield* store.unfinished("errors")
      if (unfinished._tag === "Some" || !policy.enabled) return unfinished
      if (isNewNight) return Option.some(yield* store.request("errors", "nightly", null))
      const last = yield* store.lastFinished("errors")
      return Option.exists(last, (run) => isToBeRetried(run, now))
        ? Option.some(yield* store.request("errors", "retry", null))
        : Option.none<RetentionRun>()
    }),
  )
  const run = yield* due
  if (run._tag === "None") return false
  yield* perform(run.value, policy)
  return true
}).pipe(Effect.withSpan("RetentionKeeper.turn"))

export const job: Job<Effect.Effect.Context<typeof turn>> = {
  name: "retain-errors",
  // So often it is looked whether a run is due: whoever asks for one waits for it.
  interval: () => Duration.seconds(2),
  run: turn,
}

/** The last 02:00 UTC. */
export const nightBefore = (now: DateTime.Utc): DateTime.Utc =>
  DateTime.add(DateTime.startOf(DateTime.subtract(now, { hours: nightlyHour }), "day"), {
    hours: nightlyHour,
  })

// internal

const nightlyHour = 2

const isToBeRetried = ({ finishedAt, removed }: RetentionRun, now: DateTime.Utc): boolean =>
  removed.postponed > 0 &&
  finishedAt !== null &&
  DateTime.greaterThanOrEqualTo(now, DateTime.add(finishedAt, { hours: 1 }))

/** A run that is interrupted stays begun, and whoever has the work next does it again. */
const perform = (run: RetentionRun, policy: ErrorRetention) =>
  Effect.gen(function* () {
    const store = yield* RetentionStore
    const isWithinDiskLimit = yield* purge(run.id, policy).pipe(
      Effect.tapErrorCause((cause) =>
        Cause.isInterrupted(cause) ? Effect.void : fail(run.id, failureOf(cause)),
      ),
    )
    yield* store.finish(run.id, { bytesAfter: yield* store.size, isWithinDiskLimit, failure: null })
    const done = yield* store.find(run.id)
    if (done._tag === "Some") yield* logRun(done.value)
  })

/** Where the storage is away there is nobody to tell: then the run is done again as well. */
const fail = (id: RetentionRunId, failure: string) =>
  Effect.gen(function* () {
    const store = yield* RetentionStore
    yield* store.finish(id, { bytesAfter: yield* store.size, isWithinDiskLimit: null, failure })
  }).pipe(
    Effect.catchAll((error) => Effect.logDebug("A run of retention that failed stays unfinished", error)),
  )

/** Answers whether the use of the disk is within the limit. */
const purge = (id: RetentionRunId, policy: ErrorRetention) =>
  Effect.gen(function* () {
    const store = yield* RetentionStore
    const byTime = policy.enabled && policy.timeBasedEnabled
    const before = byTime ? DateTime.subtract(yield* store.now, { days: policy.retentionPeriodDays }) : null
    yield* store.begin(id, {
      timePurgeType: byTime ? policy.timePurgeType : null,
      before,
      bytesBefore: yield* store.size,
    })
    if (before !== null && policy.timePurgeType === "partial") yield* store.purgeDetails(id, before)
    if (before !== null && policy.timePurgeType === "full") yield* purgeAll(id, before)
    return policy.enabled && policy.diskBasedEnabled ? yield* purgeByDisk(id, policy) : null
  })

const purgeAll = (id: RetentionRunId, before: DateTime.Utc) =>
  Effect.flatMap(RetentionStore, (store) =>
    Effect.zipRight(store.purgeReports(id, before), store.purgeGroups(id, before)),
  )

/**
 * The oldest part first, and only whole parts: what is removed from a part that stays gives no room back, so that one
 * would remove the more the less it helps.
 */
const purgeByDisk = (id: RetentionRunId, policy: ErrorRetention) =>
  Effect.gen(function* () {
    const store = yield* RetentionStore
    let after: DateTime.Utc | null = null
    while (true) {
      const isOver = yield* isOverLimit(policy)
      if (isOver !== true) return isOver === null ? null : true
      const end: Option.Option<DateTime.Utc> = yield* store.endOfOldest(after)
      if (end._tag === "None") {
        yield* Effect.logWarning(
          "Too much of the disk is used, and there are no more whole weeks that retention could remove",
        )
        return false
      }
      yield* purgeAll(id, end.value)
      after = end.value
    }
  })

/** Null where it cannot be measured. */
const isOverLimit = ({ diskLimitType, diskLimitValue }: ErrorRetention) =>
  Effect.gen(function* () {
    const store = yield* RetentionStore
    if (diskLimitType === "absolute") return (yield* store.size) > diskLimitValue * bytesOfGb
    const { measure } = yield* DiskSpace
    return yield* measure.pipe(
      Effect.map(({ freeBytes, totalBytes }) => (totalBytes - freeBytes) * 100 > totalBytes * diskLimitValue),
      Effect.catchTag("DiskUnmeasurable", ({ reason }) => unmeasurable(reason)),
    )
  })

const bytesOfGb = 1_000_000_000

const unmeasurable = (reason: string) =>
  Effect.as(Effect.logWarning(`Retention cannot tell how much of the disk is used: ${reason}`), null)

const logRun = ({ bytesAfter, bytesBefore, removed }: RetentionRun) =>
  Effect.logInfo(
    `Retention removed ${removed.reports} reports, ${removed.groups} groups and ${removed.partitions} partitions`,
  ).pipe(Effect.annotateLogs({ bytesBefore, bytesAfter, postponed: removed.postponed }))
