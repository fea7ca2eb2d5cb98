/** Whether there is room for uploads: they stop where errors would be refused for want of it. */
import { Effect } from "effect"
import { ErrataConfig } from "../ErrataConfig.js"
import { inForce } from "../policy/PolicyInForce.js"
import { PolicyStore } from "../policy/PolicyStore.js"
import { DiskSpace } from "../storage/DiskSpace.js"
import type { StorageError } from "../storage/StorageError.js"
import { ArtifactUploadsPaused } from "./ArtifactBundle.js"
import { BlobStore } from "./BlobStore.js"

/** Fails while the database's disk, or that of the contents, is under the floor of ingest protection. */
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
      // What cannot be measured pauses the intake of errors neither.
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
