/**
 * Does the runs of artifact retention in the background: nightly at 02:00 UTC by the storage's clock, or as soon as a node
 * is there again, and when they are asked for. What a new release removes does not wait for them (`purgeOldReleases`).
 */
import { Cause, DateTime, Duration, Effect, Option } from "effect"
import { Policies } from "../administration/Policies.js"
import { ArtifactStore } from "../artifact/ArtifactStore.js"
import { BlobStore } from "../artifact/BlobStore.js"
import { failureOf, type Job } from "../background/Job.js"
import type { ArtifactRetention } from "../policy/Policy.js"
import { Storage } from "../storage/Storage.js"
import { nightBefore } from "./RetentionKeeper.js"
import type { RetentionRun, RetentionRunId } from "./RetentionRun.js"
import { RetentionStore } from "./RetentionStore.js"

/** Does the run that there is to do now, to its end; answers whether there was one. */
export const turn = Effect.gen(function* () {
  const store = yield* RetentionStore
  const { transaction } = yield* Storage
  const policy = yield* (yield* Policies).inForce("artifactRetention")
  const now = yield* store.now
  const run = yield* transaction(
    Effect.gen(function* () {
      // Also where retention is off: who switches it on in the afternoon is not to lose anything before the night.
      const isNewNight = yield* store.enterNight("artifacts", nightBefore(now))
      const unfinished = yield* store.unfinished("artifacts")
      if (unfinished._tag === "Some" || !policy.enabled || !isNewNight) return unfinished
      return Option.some(yield* store.request("artifacts", "nightly", null))
    }),
  )
  if (run._tag === "None") return false
  yield* perform(run.value, policy)
  return true
}).pipe(Effect.withSpan("ArtifactRetentionKeeper.turn"))

export const job: Job<Effect.Effect.Context<typeof turn>> = {
  name: "retain-artifacts",
  // So often it is looked whether a run is due: whoever asks for one waits for it.
  interval: () => Duration.seconds(2),
  run: turn,
}

// internal

/** A run that is interrupted stays begun, and whoever has the work next does it again. */
const perform = ({ id }: RetentionRun, policy: ArtifactRetention) =>
  Effect.gen(function* () {
    const isWithinDiskLimit = yield* purge(id, policy).pipe(
      Effect.tapErrorCause((cause) =>
        Cause.isInterrupted(cause) ? Effect.void : fail(id, failureOf(cause)),
      ),
    )
    const store = yield* RetentionStore
    yield* store.finish(id, { bytesAfter: yield* neededBytes, isWithinDiskLimit, failure: null })
    const done = yield* store.find(id)
    if (done._tag === "Some") {
      yield* Effect.logInfo(`Artifact retention removed ${done.value.removed.bundles} uploads`)
    }
  })

/** Where the storage is away there is nobody to tell: then the run is done again as well. */
const fail = (id: RetentionRunId, failure: string) =>
  Effect.gen(function* () {
    const store = yield* RetentionStore
    yield* store.finish(id, { bytesAfter: yield* neededBytes, isWithinDiskLimit: null, failure })
  }).pipe(
    Effect.catchAll((error) =>
      Effect.logDebug("A run of artifact retention that failed stays unfinished", error),
    ),
  )

const neededBytes = Effect.flatMap(ArtifactStore, ({ blobBytes }) =>
  Effect.map(blobBytes, ({ needed }) => needed),
)

/** Answers whether the use of the disk is within the limit. */
const purge = (id: RetentionRunId, policy: ArtifactRetention) =>
  Effect.gen(function* () {
    const store = yield* RetentionStore
    const byTime = policy.enabled && policy.timeBasedEnabled
    const before = byTime ? DateTime.subtract(yield* store.now, { days: policy.retentionPeriodDays }) : null
    yield* store.begin(id, { timePurgeType: null, before, bytesBefore: yield* neededBytes })
    if (before !== null) {
      while ((yield* removeOldest(id, before, batchSize)) === batchSize) yield* Effect.yieldNow()
    }
    return policy.enabled && policy.diskBasedEnabled ? yield* purgeByDisk(id, policy) : null
  })

const removeOldest = (id: RetentionRunId, before: DateTime.Utc | null, limit: number) =>
  Effect.gen(function* () {
    const removed = yield* (yield* ArtifactStore).removeOldest(before, limit)
    if (removed > 0) yield* (yield* RetentionStore).countBundles(id, removed)
    return removed
  })

/**
 * What was of no use for the longest time first, until the rest is within the limit. Measuring takes a while where there
 * is much, so several go at a time; half of what would do if they were all of a size, so that none goes that may stay.
 */
const purgeByDisk = (id: RetentionRunId, policy: ArtifactRetention) =>
  Effect.gen(function* () {
    let last: number | null = null
    let limit = 1
    while (true) {
      const excess: number | null = yield* excessBytes(policy)
      if (excess === null) return null
      if (excess <= 0) return true
      const gained: number = last === null ? 0 : last - excess
      if (gained > 0) limit = Math.floor((excess * limit) / gained / 2)
      limit = Math.min(Math.max(limit, 1), batchSize)
      last = excess
      if ((yield* removeOldest(id, null, limit)) === 0) {
        yield* Effect.logWarning("Too much of the disk is used, and there are no more artifacts to remove")
        return false
      }
    }
  })

/**
 * How far the use is above the limit; null where it cannot be measured. Contents that no bundle needs any more count as
 * gone: they are removed within the hour, and were they counted, the next run would remove the more.
 */
const excessBytes = ({ diskLimitType, diskLimitValue }: ArtifactRetention) =>
  Effect.gen(function* () {
    const { needed, stored } = yield* (yield* ArtifactStore).blobBytes
    if (diskLimitType === "absolute") return needed - diskLimitValue * bytesOfGb
    const { disk } = yield* BlobStore
    return yield* disk.pipe(
      Effect.map(
        ({ freeBytes, totalBytes }) =>
          totalBytes - freeBytes - (stored - needed) - (totalBytes * diskLimitValue) / 100,
      ),
      Effect.catchTag("DiskUnmeasurable", ({ reason }) =>
        Effect.as(Effect.logWarning(`Artifact retention cannot tell how much is used: ${reason}`), null),
      ),
    )
  })

const batchSize = 50
const bytesOfGb = 1_000_000_000
