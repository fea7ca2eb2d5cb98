/** Retention of artifacts. Purges after a new release happen at once (`purgeOldReleases`), not in these runs. */
import { type DateTime, Effect } from "effect"
import { ArtifactStore } from "../artifact/ArtifactStore.js"
import { BlobStore } from "../artifact/BlobStore.js"
import type { ArtifactRetention } from "../policy/Policy.js"
import { Storage } from "../storage/Storage.js"
import { cutoffOf } from "./RetentionAge.js"
import type { RetentionRunId } from "./RetentionRun.js"
import { RetentionStore } from "./RetentionStore.js"
import * as RetentionTurns from "./RetentionTurns.js"

/** Performs the due run, if any. Returns whether there was one. */
export const turn = Effect.suspend(() =>
  RetentionTurns.turn({
    kind: "artifacts",
    policy: "artifactRetention",
    size: neededBytes,
    // Artifacts are never in use.
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

/** Returns whether disk usage is within the limit. */
const purge = Effect.fnUntraced(function* (id: RetentionRunId, policy: ArtifactRetention) {
  const store = yield* RetentionStore
  const before = cutoffOf(policy, yield* (yield* Storage).now)
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
 * Deletes the least recently used artifacts until disk usage is within the limit. Measuring is slow, so it deletes
 * several at a time: half of the number that would be enough if all had the same size, to avoid deleting too much.
 */
const purgeByDisk = Effect.fnUntraced(function* (id: RetentionRunId, policy: ArtifactRetention) {
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
 * Bytes above the limit; null if the disk cannot be measured. Contents that no bundle needs count as deleted, because
 * they will be within the hour. Otherwise the next run would delete too much.
 */
const excessBytes = Effect.fnUntraced(function* ({ diskLimitType, diskLimitValue }: ArtifactRetention) {
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
