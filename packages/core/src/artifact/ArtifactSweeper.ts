/** Drops what uploads have left: chunks that nobody will use, uploads that failed long ago, contents without a bundle. */
import { DateTime, Duration, Effect } from "effect"
import type { Job } from "../background/Job.js"
import { ErrataConfig } from "../ErrataConfig.js"
import { ArtifactChunks } from "./ArtifactChunks.js"
import { ArtifactStore } from "./ArtifactStore.js"
import { BlobStore } from "./BlobStore.js"
import * as Blobs from "./Blobs.js"

/** Drops what there is to drop now, in short steps; answers how much that was. */
export const sweep = Effect.gen(function* () {
  const { artifacts } = yield* ErrataConfig
  const chunks = yield* ArtifactChunks
  const store = yield* ArtifactStore
  const blobs = yield* BlobStore
  const now = yield* DateTime.now
  const before = (age: Duration.Duration) => DateTime.subtractDuration(now, age)

  const stale = { put: before(artifacts.keepChunks), settled: before(keepSettled) }
  const droppedChunks = yield* untilNone(chunks.removeStale(stale, chunkBatch), chunkBatch)
  const droppedFailures = yield* untilNone(
    store.removeFailed(before(artifacts.keepFailed), bundleBatch),
    bundleBatch,
  )
  const removeUnneeded = Effect.gen(function* () {
    const keys = yield* store.takeUnneeded(before(Blobs.keepUnneeded), before(abandoned), now, blobBatch)
    if (keys.length === 0) return 0
    // In this order: what is forgotten may be put again at once, and must not be removed after that.
    yield* blobs.remove(keys)
    yield* store.forgetBlobs(keys)
    return keys.length
  })
  const droppedBlobs = yield* untilNone(removeUnneeded, blobBatch)
  if (droppedBlobs > 0) {
    yield* Effect.logInfo(`Contents of artifacts that no bundle needs any more: ${droppedBlobs} removed`)
  }
  return { chunks: droppedChunks, failures: droppedFailures, blobs: droppedBlobs }
}).pipe(Effect.withSpan("ArtifactSweeper.sweep"))

export const job: Job<Effect.Effect.Context<typeof sweep>> = {
  name: "sweep-artifacts",
  interval: ({ purgeInterval }) => purgeInterval,
  run: sweep,
}

// internal

/** Chunks are large: eight of them are a moment's work. */
const chunkBatch = 8
const bundleBatch = 100
const blobBatch = 100

/** Another bundle that is being uploaded may be made of some of the same chunks. */
const keepSettled = Duration.minutes(10)

/** Whoever took them so long ago to remove them does not live any more. */
const abandoned = Duration.minutes(10)

/** Repeats a step that does up to so much, until it does less. */
const untilNone = <E, R>(step: Effect.Effect<number, E, R>, limit: number) =>
  Effect.gen(function* () {
    let total = 0
    while (true) {
      const done = yield* step
      total += done
      if (done < limit) return total
      yield* Effect.yieldNow()
    }
  })
