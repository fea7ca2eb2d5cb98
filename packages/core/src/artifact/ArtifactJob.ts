/** Removes leftovers of uploads: unused chunks, old failed uploads, and contents without a bundle. */
import { DateTime, Duration, Effect } from "effect"
import { inSteps, type Job } from "../background/Job.js"
import { ErrataConfig } from "../ErrataConfig.js"
import type { StorageError } from "../storage/StorageError.js"
import { ArtifactStore } from "./ArtifactStore.js"
import { type BlobKey, BlobStore } from "./BlobStore.js"
import * as Blobs from "./Blobs.js"

/**
 * Removes all current leftovers in short steps, and returns the counts. Fails at the end if some contents could not be
 * removed from the blob store.
 */
export const expire = Effect.gen(function* () {
  const { artifacts } = yield* ErrataConfig
  const store = yield* ArtifactStore
  const blobs = yield* BlobStore
  const now = yield* DateTime.now
  const before = (age: Duration.Duration) => DateTime.subtractDuration(now, age)

  const stale = { put: before(artifacts.keepChunks), settled: before(keepSettled) }
  const droppedChunks = yield* inSteps(store.removeStaleChunks(stale, chunkBatch), chunkBatch)
  const droppedFailures = yield* inSteps(
    store.removeFailed(before(artifacts.keepFailed), bundleBatch),
    bundleBatch,
  )
  let droppedBlobs = 0
  const stuck: Array<StorageError> = []
  const removeUnneeded = Effect.gen(function* () {
    const keys = yield* store.takeUnneeded(before(Blobs.keepUnneeded), before(abandoned), now, blobBatch)
    // Remove before forgetting: a forgotten blob may be stored again at once, and must not be removed after that.
    const [failures, removed] = yield* removeEach(blobs, keys)
    if (removed.length > 0) yield* store.forgetBlobs(removed)
    droppedBlobs += removed.length
    stuck.push(...failures)
    // If none could be removed, the blob store is unavailable. The keys taken now come last in the next run.
    return removed.length === 0 ? 0 : keys.length
  })
  yield* inSteps(removeUnneeded, blobBatch)
  if (droppedBlobs > 0) {
    yield* Effect.annotateLogs(Effect.logInfo("Unused contents of artifacts deleted"), {
      contents: droppedBlobs,
    })
  }
  const [failure] = stuck
  if (failure !== undefined) {
    yield* Effect.annotateLogs(
      Effect.logWarning("Deleting contents of artifacts failed and will be retried"),
      { contents: stuck.length },
    )
    return yield* failure
  }
  return { chunks: droppedChunks, failures: droppedFailures, blobs: droppedBlobs }
}).pipe(Effect.withSpan("ArtifactJob.expire"))

export const job: Job<Effect.Services<typeof expire>> = {
  name: "expire-uploads",
  run: expire,
}

// internal

/** Chunks are large, so eight of them keep a step short. */
const chunkBatch = 8
const bundleBatch = 100
const blobBatch = 100

/** A bundle that is being uploaded may share chunks with this one. */
const keepSettled = Duration.minutes(10)

/** The run that took these contents is no longer running. */
const abandoned = Duration.minutes(10)

/** Removes the batch, or else each blob alone, so that one failure does not block the others. */
const removeEach = (blobs: BlobStore["Service"], keys: ReadonlyArray<BlobKey>) =>
  Effect.catch(
    Effect.as(blobs.remove(keys), [[], keys] as const),
    (): Effect.Effect<readonly [ReadonlyArray<StorageError>, ReadonlyArray<BlobKey>]> =>
      Effect.map(
        Effect.partition(keys, (key) => Effect.as(blobs.remove([key]), key), { concurrency: 8 }),
        ([removed, failures]) => [failures, removed],
      ),
  )
