/**
 * Takes the content coding off a request body: gzip, deflate (with zlib's wrapper and without), br, zstd, and lists
 * of them. What comes out is bounded while it is decoded, at every step of a list.
 */
import zlib from "node:zlib"
import { Effect, Either } from "effect"
import { decodeZstd } from "./internal/zstd.js"
import { SentryRejection, type SentryRejectionReason } from "./SentryRejection.js"

/**
 * Decodes a body; small ones at once, larger ones off the event loop.
 *
 * `contentEncoding` is the header's value. An empty or nonsensical one such as `UTF-8` is ignored.
 */
export const decodeBody = (
  body: Buffer,
  contentEncoding: string | undefined,
  maxBytes: number,
): Effect.Effect<Buffer, SentryRejection> =>
  Effect.suspend(() => {
    const decoded = decodeBodySync(body, contentEncoding, maxBytes)
    if (decoded !== null) return decoded
    const codings = readCodings(contentEncoding ?? "")
    if (typeof codings === "string") return Effect.fail(unknown)
    return codings.reduceRight(
      (bytes: Effect.Effect<Buffer, SentryRejection>, coding) =>
        Effect.flatMap(bytes, (input) => decodeCoding(input, coding, maxBytes)),
      Effect.succeed(body),
    )
  })

/**
 * Decodes a body without leaving the event loop, or gives null where that would hold it up: `decodeBody` then does it.
 */
export const decodeBodySync = (
  body: Buffer,
  contentEncoding: string | undefined,
  maxBytes: number,
): Either.Either<Buffer, SentryRejection> | null => {
  if (contentEncoding === undefined || contentEncoding === "" || contentEncoding === "identity") {
    return body.length > maxBytes ? tooLarge : Either.right(body)
  }
  const codings = readCodings(contentEncoding)
  if (typeof codings === "string") return Either.left(unknown)
  if (body.length > maxBytes) return tooLarge
  if (codings.length === 0 || body.length === 0) return Either.right(body)
  const coding = codings[0]!
  if (codings.length > 1 || coding === "zstd" || body.length > maxSyncInput) return null
  const limit = Math.min(maxBytes, maxSyncOutput)
  try {
    return Either.right(inflateNow(body, coding, limit))
  } catch (error) {
    if (!isTooLarge(error)) return invalid
    return limit === maxBytes ? tooLarge : null
  }
}

// internal

export type Coding = "gzip" | "deflate" | "br" | "zstd"

// Below these zlib takes well under a millisecond, and a thread of the pool costs more than it saves.
const maxSyncInput = 32 * 1024
const maxSyncOutput = 256 * 1024
const maxCodings = 4

const names = new Map<string, Coding>([
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["deflate", "deflate"],
  ["br", "br"],
  ["zstd", "zstd"],
])

// Seen from clients that mistook the header for a charset, a transfer coding or a media type.
const nonsense =
  /^(?:identity|none|null|undefined|binary|[78]bit|chunked|base64|quoted-printable|\*|(?:x-)?(?:utf|ucs|iso|us-ascii|ascii|ansi|latin|windows|cp|koi8|gb|big5|euc|shift|unicode)[-_\da-z]*)$/
const token = /^[a-z\d][a-z\d._+-]*$/

export const readCodings = (header: string): ReadonlyArray<Coding> | "unknown" => {
  const codings: Array<Coding> = []
  for (const part of header.split(",")) {
    const name = part.trim().toLowerCase()
    const coding = names.get(name)
    if (coding !== undefined) codings.push(coding)
    else if (token.test(name) && !nonsense.test(name)) return "unknown"
    if (codings.length > maxCodings) return "unknown"
  }
  return codings
}

const reject = (reason: SentryRejectionReason, detail: string): SentryRejection =>
  new SentryRejection({ reason, detail })

const unknown = reject("unknown_encoding", "The body's content coding is not known")
const large = reject("too_large", "The body is too large")
const malformed = reject("invalid_encoding", "The body does not decode by its content coding")
const tooLarge = Either.left(large)
const invalid = Either.left(malformed)
export const unknownEncoding = Effect.fail(unknown)
export const invalidEncoding = Effect.fail(malformed)

const inflateNow = (body: Buffer, coding: Exclude<Coding, "zstd">, maxOutputLength: number): Buffer => {
  const options = { maxOutputLength }
  switch (coding) {
    case "gzip":
      return zlib.gunzipSync(body, options)
    case "br":
      return zlib.brotliDecompressSync(body, options)
    case "deflate":
      return hasZlibHeader(body) ? zlib.inflateSync(body, options) : zlib.inflateRawSync(body, options)
  }
}

const decodeCoding = (
  body: Buffer,
  coding: Coding,
  maxBytes: number,
): Effect.Effect<Buffer, SentryRejection> => {
  if (coding === "zstd") {
    return Effect.mapError(decodeZstd(body, maxBytes), (failure) =>
      failure === "too_large" ? large : failure === "unsupported" ? unknown : malformed,
    )
  }
  return Effect.async((resume) => {
    const options = { maxOutputLength: maxBytes, chunkSize: 64 * 1024 }
    const done = (error: Error | null, output: Buffer) =>
      resume(error === null ? Effect.succeed(output) : isTooLarge(error) ? tooLarge : invalid)
    if (coding === "gzip") zlib.gunzip(body, options, done)
    else if (coding === "br") zlib.brotliDecompress(body, options, done)
    else if (hasZlibHeader(body)) zlib.inflate(body, options, done)
    else zlib.inflateRaw(body, options, done)
  })
}

// RFC 1950: method 8, a window of at most 32 KiB, and a check that makes the first two bytes a multiple of 31.
export const hasZlibHeader = (body: Buffer): boolean =>
  body.length > 1 && (body[0]! & 15) === 8 && body[0]! >> 4 <= 7 && ((body[0]! << 8) | body[1]!) % 31 === 0

const isTooLarge = (error: unknown): boolean =>
  error instanceof RangeError && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE"
