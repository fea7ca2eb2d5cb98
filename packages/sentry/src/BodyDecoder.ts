/**
 * Takes the content coding off bodies that are too large to be decoded on the event loop, so that nobody waits for
 * another's.
 */
import { FairSemaphore } from "@errata/core/internal"
import { Effect } from "effect"
import { decodeBody, decodePrefix, maxSyncOutput, usesCoding } from "./ContentEncoding.js"
import type { SentryRejection } from "./SentryRejection.js"

/** Decodes compressed bodies within a bound on memory. */
export interface BodyDecoder {
  /**
   * Decodes a body and gives it to `use`. A small body can become a large one, so only so many are decoded and in use at
   * one time: of one sender fewer than of all, taking turns. What turns out small is used without being counted.
   */
  readonly withDecoded: <A, E, R>(
    body: Buffer,
    contentEncoding: string | undefined,
    /** Whose turn it is; compared by identity. */
    sender: string | number,
    use: (decoded: Buffer) => Effect.Effect<A, E, R>,
  ) => Effect.Effect<A, E | SentryRejection, R>
  /**
   * Decodes the first bytes of a body as `decodePrefix` does. Senders take turns. Brotli and zstd have permits of their
   * own: one fills its window before the first byte, the other reads whole blocks.
   */
  readonly prefix: (
    part: Buffer,
    contentEncoding: string | undefined,
    maxBytes: number,
    sender: string | number,
  ) => Effect.Effect<Buffer, SentryRejection>
}

/** The functions are there to be replaced where a test needs a decoder that stands still. */
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

/** A small body that is still to be used, or what became of a large one. */
type Decoded<A> = { readonly bytes: Buffer } | { readonly answer: A }
