/** Pauses uploads when the disk is nearly full, at the same limit as ingest. */
import { Effect } from "effect"
import { ErrataConfig } from "../ErrataConfig.js"
import { inForce } from "../policy/PolicyInForce.js"
import { PolicyStore } from "../policy/PolicyStore.js"
import { DiskSpace } from "../storage/DiskSpace.js"
import type { StorageError } from "../storage/StorageError.js"
import { ArtifactUploadsPaused } from "./ArtifactBundle.js"
import { BlobStore } from "./BlobStore.js"

/** Creates a check that fails if a disk of the database or the blobs has too little space for ingest. */
export const make: Effect.Effect<
  Effect.Effect<void, ArtifactUploadsPaused | StorageError>,
  never,
  DiskSpace | BlobStore | PolicyStore
> = Effect.gen(function* () {
  const { policies: defaults } = yield* ErrataConfig
  const policies = yield* PolicyStore
  const diskSpace = yield* DiskSpace
  const blobs = yield* BlobStore
  const isFull = Effect.gen(function* () {
    const policy = inForce(defaults, "ingestProtection", yield* policies.find("ingestProtection"))
    if (!policy.diskProtectionEnabled) return false
    const floor = policy.minimumFreeDiskSpaceMb * 1024 * 1024
    for (const measure of [diskSpace.measure, blobs.disk]) {
      // As for ingest, a disk that cannot be measured does not pause uploads.
      const free = yield* Effect.match(measure, {
        onSuccess: ({ freeBytes }) => freeBytes,
        onFailure: () => Number.POSITIVE_INFINITY,
      })
      if (free < floor) return true
    }
    return false
  })
  const recent = yield* Effect.cachedWithTTL(isFull, "1 second")
  return Effect.flatMap(recent, (isFull) =>
    isFull ? new ArtifactUploadsPaused({ reason: "disk" }) : Effect.void,
  )
})
