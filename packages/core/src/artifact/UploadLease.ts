/** Ensures that one caller assembles an upload at a time, across all nodes. */
import { randomUUID } from "node:crypto"
import { Cause, Duration, Effect } from "effect"
import * as Waiting from "../internal/Waiting.js"
import type { StorageError } from "../storage/StorageError.js"
import { ArtifactUploadsPaused } from "./ArtifactBundle.js"
import type { ArtifactStore, ChunkOwner } from "./ArtifactStore.js"

/** Runs `work` under the lease of an upload. Concurrent callers wait, and then find the finished bundle. */
export const alone = <A, E>(
  store: ArtifactStore["Service"],
  { checksum, owner }: { readonly owner: ChunkOwner; readonly checksum: string },
  work: Effect.Effect<A, E>,
): Effect.Effect<A, E | ArtifactUploadsPaused | StorageError> => {
  const holder = randomUUID()
  const acquire = Effect.gen(function* () {
    for (let attempt = 1; ; attempt++) {
      if (yield* store.leaseAssembly(owner, checksum, holder, leaseDuration)) return
      if (attempt === maxAttempts) return yield* new ArtifactUploadsPaused({ reason: "busy" })
      // Only the sleep is interruptible, not the lease statement. A waiting caller must not delay shutdown.
      yield* Effect.interruptible(Effect.sleep(pollInterval))
    }
  })
  const renew = Effect.gen(function* () {
    while (true) {
      yield* Effect.sleep(renewInterval)
      if (!(yield* store.leaseAssembly(owner, checksum, holder, leaseDuration))) {
        return yield* new ArtifactUploadsPaused({ reason: "busy" })
      }
    }
  })
  return Effect.acquireUseRelease(
    acquire,
    () => Effect.raceFirst(work, renew),
    () =>
      store.releaseAssembly(owner, checksum, holder).pipe(
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
/** Limits the time that a release of the lease waits for a storage that hangs. */
const patience = Duration.seconds(2)
/** 50 seconds, less than the minute after which the first clients time out. */
const maxAttempts = 200
