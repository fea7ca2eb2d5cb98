/** Decodes compressed bodies that are too large for the event loop, fairly among senders. */
import { FairSemaphore } from "@errata/core/internal"
import { Effect } from "effect"
import { decodeBody, decodePrefix, maxSyncOutput, usesCoding } from "./ContentEncoding.js"
import type { SentryRejection } from "./SentryRejection.js"

/** Decodes compressed bodies within limited memory. */
export interface BodyDecoder {
  /**
   * Decodes a body and passes it to `use`. A small body can decode to a large one, so the number of bodies in use is
   * limited, per sender and in total. Senders take turns. Bodies that decode to a small size do not count.
   */
  readonly withDecoded: <A, E, R>(
    body: Buffer,
    contentEncoding: string | undefined,
    /** Identifies the sender; compared by identity. */
    sender: string | number,
    use: (decoded: Buffer) => Effect.Effect<A, E, R>,
  ) => Effect.Effect<A, E | SentryRejection, R>
  /**
   * Decodes the first bytes of a body as `decodePrefix` does. Senders take turns. Brotli and zstd have their own
   * permits: brotli fills its window before the first byte, and zstd reads whole blocks.
   */
  readonly prefix: (
    part: Buffer,
    contentEncoding: string | undefined,
    maxBytes: number,
    sender: string | number,
  ) => Effect.Effect<Buffer, SentryRejection>
}

/** Tests replace the functions to pause the decoder. */
export const makeBodyDecoder = (
  maxBytes: number,
  decode: typeof decodeBody = decodeBody,
  decodeStart: typeof decodePrefix = decodePrefix,
): BodyDecoder => {
  const bodies = FairSemaphore.makeUnsafe<string | number>({ permits: 4, perKey: 2 })
  const prefixes = FairSemaphore.makeUnsafe<string | number>({ permits: 4, perKey: 2 })
  const slowPrefixes = FairSemaphore.makeUnsafe<string | number>({ permits: 2, perKey: 1 })
  return {
    withDecoded: <A, E, R>(
      body: Buffer,
      contentEncoding: string | undefined,
      sender: string | number,
      use: (decoded: Buffer) => Effect.Effect<A, E, R>,
    ) => {
      const decoded = Effect.flatMap(
        decode(body, contentEncoding, maxBytes),
        (bytes): Effect.Effect<Decoded<A>, E, R> =>
          bytes.length <= maxSyncOutput
            ? Effect.succeed({ bytes })
            : Effect.map(use(bytes), (answer) => ({ answer })),
      )
      return Effect.flatMap(bodies.withPermit(sender)(decoded), (result) =>
        "bytes" in result ? use(result.bytes) : Effect.succeed(result.answer),
      )
    },
    prefix: (part, contentEncoding, maxBytes, sender) => {
      const decoded = decodeStart(part, contentEncoding, maxBytes)
      if (contentEncoding === undefined) return decoded
      const isSlow = usesCoding(contentEncoding, "br") || usesCoding(contentEncoding, "zstd")
      const permits = isSlow ? slowPrefixes : prefixes
      return permits.withPermit(sender)(decoded)
    },
  }
}

// internal

/** A small body that was not used yet, or the result for a large one. */
type Decoded<A> = { readonly bytes: Buffer } | { readonly answer: A }
