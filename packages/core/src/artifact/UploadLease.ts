/** One at a time: who makes a bundle of an upload, on all nodes. */
import { randomUUID } from "node:crypto"
import { Cause, Duration, Effect } from "effect"
import * as Waiting from "../internal/Waiting.js"
import type { StorageError } from "../storage/StorageError.js"
import { ArtifactUploadsPaused } from "./ArtifactBundle.js"
import type { ArtifactChunks, ChunkOwner } from "./ArtifactChunks.js"

/** Who comes second waits, and finds what the first one has made. */
export const alone = <A, E>(
  chunks: ArtifactChunks["Service"],
  { checksum, owner }: { readonly owner: ChunkOwner; readonly checksum: string },
  work: Effect.Effect<A, E>,
): Effect.Effect<A, E | ArtifactUploadsPaused | StorageError> => {
  const holder = randomUUID()
  const acquire = Effect.gen(function* () {
    for (let attempt = 1; ; attempt++) {
      if (yield* chunks.lease(owner, checksum, holder, leaseDuration)) return
      if (attempt === maxAttempts) return yield* new ArtifactUploadsPaused({ reason: "busy" })
      // Only asking must not be interrupted: who waits may leave, and whoever stops the server does not wait for them.
      yield* Effect.interruptible(Effect.sleep(pollInterval))
    }
  })
  const renew = Effect.gen(function* () {
    while (true) {
      yield* Effect.sleep(renewInterval)
      if (!(yield* chunks.lease(owner, checksum, holder, leaseDuration))) {
        return yield* new ArtifactUploadsPaused({ reason: "busy" })
      }
    }
  })
  return Effect.acquireUseRelease(
    acquire,
    () => Effect.raceFirst(work, renew),
    () =>
      chunks.unlease(owner, checksum, holder).pipe(
        Waiting.atMost(patience),
        Effect.catch((error) =>
          Effect.logDebug("Releasing the lease of an upload failed. It expires by itself", Cause.fail(error)),
        ),
      ),
  )
}

// internal

const leaseDuration = Duration.seconds(30)
const renewInterval = Duration.seconds(10)
const pollInterval = Duration.millis(250)
/** Who leaves an upload does not wait for longer for a storage that hangs. */
const patience = Duration.seconds(2)
/** Less than the minute that clients wait for an answer at least. */
const maxAttempts = 200
