/**
 * The beginning of a body of which only the beginning has arrived. No more is decoded than is asked for: this runs for
 * senders that nobody knows yet.
 */
import zlib from "node:zlib"
import { Effect } from "effect"
import {
  type Coding,
  decodeBody,
  hasZlibHeader,
  invalidEncoding,
  readCodings,
  unknownEncoding,
} from "./ContentEncoding.js"
import { firstBlocks } from "./internal/zstdPrefix.js"
import type { SentryRejection } from "./SentryRejection.js"

/**
 * What the first bytes of a body decode to, at most `maxBytes` of it; empty where they are too few to tell. Whether the
 * rest of the body decodes is not looked at.
 */
export const decodePrefix = (
  prefix: Buffer,
  contentEncoding: string | undefined,
  maxBytes: number,
): Effect.Effect<Buffer, SentryRejection> =>
  Effect.suspend(() => {
    const codings = contentEncoding === undefined ? [] : readCodings(contentEncoding)
    if (typeof codings === "string") return unknownEncoding
    return codings
      .reduceRight(
        (bytes: Effect.Effect<Buffer, SentryRejection>, coding, index) =>
          // What a coding below this one is given may have to be as long as a block of zstd.
          Effect.flatMap(bytes, (input) => decode(input, coding, index === 0 ? maxBytes : maxInnerBytes)),
        Effect.succeed(prefix),
      )
      .pipe(Effect.map((bytes) => bytes.subarray(0, maxBytes)))
  })

// internal

const maxInnerBytes = 256 * 1024
const maxBlockOutput = 128 * 1024

const decode = (input: Buffer, coding: Coding, maxBytes: number): Effect.Effect<Buffer, SentryRejection> => {
  if (input.length < 2) return Effect.succeed(Buffer.alloc(0))
  if (coding === "zstd") return decodeBlocks(input, maxBytes, 1)
  return Effect.async((resume) => {
    const stream = decoder(input, coding)
    const parts: Array<Buffer> = []
    let size = 0
    const end = (outcome: Effect.Effect<Buffer, SentryRejection>) => {
      stream.destroy()
      resume(outcome)
    }
    const output = () => Effect.succeed(Buffer.concat(parts, size).subarray(0, maxBytes))
    stream.on("data", (part: Buffer) => {
      parts.push(part)
      size += part.length
      if (size >= maxBytes) end(output())
    })
    stream.on("end", () => end(output()))
    // What came before the mistake may hold all that is asked for; whoever decodes the whole will find it.
    stream.on("error", () => end(size > 0 ? output() : invalidEncoding))
    stream.end(input)
  })
}

const decoder = (input: Buffer, coding: Exclude<Coding, "zstd">) => {
  // Input that ends early is no mistake here.
  const options = { finishFlush: zlib.constants.Z_SYNC_FLUSH, chunkSize: 8 * 1024 }
  switch (coding) {
    case "gzip":
      return zlib.createGunzip(options)
    case "br":
      return zlib.createBrotliDecompress({
        finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH,
        chunkSize: 8 * 1024,
      })
    case "deflate":
      return hasZlibHeader(input) ? zlib.createInflate(options) : zlib.createInflateRaw(options)
  }
}

/** Twice as many blocks until they are enough, or there are no more. */
const decodeBlocks = (
  input: Buffer,
  maxBytes: number,
  count: number,
): Effect.Effect<Buffer, SentryRejection> => {
  const blocks = firstBlocks(input, count)
  if (blocks === "invalid") return invalidEncoding
  if (blocks === null) return Effect.succeed(Buffer.alloc(0))
  return Effect.flatMap(decodeBody(blocks.frame, "zstd", blocks.count * maxBlockOutput), (output) =>
    output.length >= maxBytes || blocks.count < count || count >= maxBlocks
      ? Effect.succeed(output.subarray(0, maxBytes))
      : decodeBlocks(input, maxBytes, count * 2),
  )
}

const maxBlocks = 16
