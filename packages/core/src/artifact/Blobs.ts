/** Keeping contents so that none is removed before a bundle says that it needs it. */
import { DateTime, Duration, Effect } from "effect"
import type { StorageError } from "../storage/StorageError.js"
import { ArtifactUploadsPaused } from "./ArtifactBundle.js"
import { ArtifactStore } from "./ArtifactStore.js"
import { type BlobKey, BlobStore } from "./BlobStore.js"

export interface Content {
  readonly key: BlobKey
  readonly bytes: Uint8Array
}

/** How long contents stay that no bundle needs, counted from when they are put. */
export const keepUnneeded = Duration.hours(1)

/** Puts contents; for `keepUnneeded` from now they stay whether a bundle needs them or not. */
export const make: Effect.Effect<
  (contents: ReadonlyArray<Content>) => Effect.Effect<void, ArtifactUploadsPaused | StorageError>,
  never,
  ArtifactStore | BlobStore
> = Effect.gen(function* () {
  const store = yield* ArtifactStore
  const blobs = yield* BlobStore

  /** A content that is being removed can be kept again in a moment: before it is gone, nobody could say that it is kept. */
  const announce = (keys: ReadonlyArray<BlobKey>) =>
    Effect.gen(function* () {
      let waiting = keys
      for (let attempt = 1; ; attempt++) {
        waiting = yield* store.announceBlobs(waiting, yield* DateTime.now)
        if (waiting.length === 0) return
        if (attempt === maxAttempts) return yield* new ArtifactUploadsPaused({ reason: "busy" })
        yield* Effect.sleep("100 millis")
      }
    })

  return (contents) =>
    Effect.gen(function* () {
      if (contents.length === 0) return
      yield* announce([...new Set(contents.map(({ key }) => key))])
      const stored = yield* Effect.forEach(
        contents,
        ({ bytes, key }) => Effect.map(blobs.put(key, bytes), (taken) => ({ key, bytes: taken })),
        { concurrency: 4 },
      )
      yield* store.storedBlobs(stored)
    })
})

// internal

/** Five seconds. */
const maxAttempts = 50
