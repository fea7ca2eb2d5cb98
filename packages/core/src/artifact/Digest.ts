import { createHash, type Hash } from "node:crypto"
import { Effect } from "effect"
import { yieldToEventLoop } from "../internal/EventLoop.js"

/** Adds bytes to a hash in pieces, and yields to the event loop every few milliseconds. */
export const update = (hash: Hash, bytes: Uint8Array): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (let start = 0; start < bytes.byteLength; start += pieceBytes) {
      hash.update(bytes.subarray(start, start + pieceBytes))
      if (start + pieceBytes < bytes.byteLength) yield* yieldToEventLoop
    }
  })

/** Returns the digest in lower-case hexadecimal. */
export const digest = (algorithm: "sha1" | "sha256", bytes: Uint8Array): Effect.Effect<string> =>
  Effect.suspend(() => {
    const hash = createHash(algorithm)
    return Effect.map(update(hash, bytes), () => hash.digest("hex"))
  })

// internal

const pieceBytes = 2 * 1024 * 1024
