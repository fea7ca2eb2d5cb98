/** Retention of artifacts. What a new release removes does not wait for its runs (`purgeOldReleases`). */
import { DateTime, Effect } from "effect"
import { ArtifactStore } from "../artifact/ArtifactStore.js"
import { BlobStore } from "../artifact/BlobStore.js"
import type { ArtifactRetention } from "../policy/Policy.js"
import { Storage } from "../storage/Storage.js"
import type { RetentionRunId } from "./RetentionRun.js"
import { RetentionStore } from "./RetentionStore.js"
import * as RetentionTurns from "./RetentionTurns.js"

/** Does the run that there is to do now, to its end; answers whether there was one. */
export const turn = Effect.suspend(() =>
  RetentionTurns.turn({
    kind: "artifacts",
    policy: "artifactRetention",
    size: neededBytes,
    // Nothing that it removes can be in use.
    isToBeRetried: () => false,
    purge,
    log: ({ removed }) =>
      Effect.annotateLogs(Effect.logInfo("Artifact retention finished"), { uploads: removed.bundles }),
  }),
).pipe(Effect.withSpan("ArtifactRetentionJob.turn"))

export const job = RetentionTurns.job("retain-artifacts", turn)

// internal

const neededBytes = Effect.flatMap(ArtifactStore, ({ blobBytes }) =>
  Effect.map(blobBytes, ({ needed }) => needed),
)

/** Answers whether the use of the disk is within the limit. */
const purge = (id: RetentionRunId, policy: ArtifactRetention) =>
  Effect.gen(function* () {
    const store = yield* RetentionStore
    const byTime = policy.enabled && policy.timeBasedEnabled
    const before = byTime
      ? DateTime.subtract(yield* (yield* Storage).now, { days: policy.retentionPeriodDays })
      : null
    yield* store.begin(id, { timePurgeType: null, before, bytesBefore: yield* neededBytes })
    if (before !== null) {
      while ((yield* removeOldest(id, before, batchSize)) === batchSize) yield* Effect.yieldNow
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
        yield* Effect.logWarning("The disk limit is exceeded, but no artifacts are left to delete")
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
    if (diskLimitType === "absolute") return needed - diskLimitValue * RetentionTurns.bytesOfGb
    const { disk } = yield* BlobStore
    return yield* disk.pipe(
      Effect.map(
        ({ freeBytes, totalBytes }) =>
          totalBytes - freeBytes - (stored - needed) - (totalBytes * diskLimitValue) / 100,
      ),
      Effect.catchTag("DiskUnmeasurable", ({ reason }) =>
        Effect.as(
          Effect.annotateLogs(Effect.logWarning("Artifact retention cannot measure the disk"), { reason }),
          null,
        ),
      ),
    )
  })

const batchSize = 50
