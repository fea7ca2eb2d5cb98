/** Stores contents such that none is removed before a bundle refers to it. */
import { DateTime, Duration, Effect } from "effect"
import type { StorageError } from "../storage/StorageError.js"
import { ArtifactUploadsPaused } from "./ArtifactBundle.js"
import { ArtifactStore } from "./ArtifactStore.js"
import { type BlobKey, BlobStore } from "./BlobStore.js"

export interface Content {
  readonly key: BlobKey
  readonly bytes: Uint8Array
}

/** How long contents without a bundle are kept, from when they are stored. */
export const keepUnneeded = Duration.hours(1)

/** Creates a function that stores contents and protects them from removal for `keepUnneeded`. */
export const make: Effect.Effect<
  (contents: ReadonlyArray<Content>) => Effect.Effect<void, ArtifactUploadsPaused | StorageError>,
  never,
  ArtifactStore | BlobStore
> = Effect.gen(function* () {
  const store = yield* ArtifactStore
  const blobs = yield* BlobStore

  /** Waits for contents that are being removed; they can be stored again afterwards. */
  const announce = Effect.fnUntraced(function* (keys: ReadonlyArray<BlobKey>) {
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
