/**
 * Takes the content coding off bodies that are too large to be decoded on the event loop, so that nobody waits for
 * another's.
 */
import { Effect } from "effect"
import { decodeBody, usesZstd } from "./ContentEncoding.js"
import { FairPermits } from "./internal/FairPermits.js"
import type { SentryRejection } from "./SentryRejection.js"

export interface BodyDecoder {
  /**
   * Decodes a body and gives it to `use`. A small body can become a large one, so only so many are decoded and in use at
   * one time: of one sender fewer than of all, taking turns; and zstd has threads of its own, for which no other
   * coding waits.
   */
  readonly withDecoded: <A, E, R>(
    body: Buffer,
    contentEncoding: string | undefined,
    /** Whose turn it is; compared by identity. */
    sender: string | number,
    use: (decoded: Buffer) => Effect.Effect<A, E, R>,
  ) => Effect.Effect<A, E | SentryRejection, R>
}

/** `decode` is there to be replaced where a test needs a decoder that stands still. */
export const makeBodyDecoder = (maxBytes: number, decode: typeof decodeBody = decodeBody): BodyDecoder => {
  const others = new FairPermits<string | number>(4, 2)
  const zstd = new FairPermits<string | number>(2, 1)
  return {
    withDecoded: (body, contentEncoding, sender, use) =>
      (usesZstd(contentEncoding) ? zstd : others).withPermit(sender)(
        Effect.flatMap(decode(body, contentEncoding, maxBytes), use),
      ),
  }
}
