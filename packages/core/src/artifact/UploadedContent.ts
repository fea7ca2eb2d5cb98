/** Checks the checksum of an upload. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { yieldToEventLoop } from "../internal/EventLoop.js"
import type { StorageError } from "../storage/StorageError.js"
import { BundleUnreadable, type RandomAccess } from "./BundleReader.js"
import { update } from "./Digest.js"

/** Fails if the assembled chunks do not match the SHA-1 checksum. */
export const verify = (
  source: RandomAccess,
  checksum: string,
): Effect.Effect<void, BundleUnreadable | StorageError> =>
  Effect.gen(function* () {
    const hash = createHash("sha1")
    for (let offset = 0; offset < source.size; offset += pieceBytes) {
      yield* update(hash, yield* source.read(offset, Math.min(pieceBytes, source.size - offset)))
      yield* yieldToEventLoop
    }
    if (hash.digest("hex") !== checksum) {
      return yield* new BundleUnreadable({
        reason: "The assembled chunks do not match the SHA-1 checksum",
      })
    }
  })

// internal

const pieceBytes = 4 * 1024 * 1024
