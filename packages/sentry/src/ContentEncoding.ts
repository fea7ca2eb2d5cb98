/**
 * Decodes the content coding of a request body: gzip, deflate (with and without zlib's wrapper), br, zstd, and lists of
 * them. The output is limited at every step of a list.
 */
import { Effect, Result } from "effect"
import {
  type Coding,
  type DecodeFailure,
  inflateInSteps,
  inflateNow,
  inflatePrefix,
  prefixInput,
} from "./internal/inflate.js"
import { decodeZstd } from "./internal/zstd.js"
import { SentryRejection, type SentryRejectionReason } from "./SentryRejection.js"

/** Largest output that counts as small. Many uncompressed events are larger. */
export const maxSyncOutput = 256 * 1024

/**
 * Decodes a body: small ones synchronously, larger ones off the event loop. `contentEncoding` is the header's value. An
 * empty or meaningless one such as `UTF-8` is ignored.
 */
export const decodeBody = (
  body: Buffer,
  contentEncoding: string | undefined,
  maxBytes: number,
): Effect.Effect<Buffer, SentryRejection> =>
  Effect.suspend(() => {
    const decoded = decodeBodySync(body, contentEncoding, maxBytes)
    if (decoded !== null) return Effect.fromResult(decoded)
    const codings = readCodings(contentEncoding ?? "")
    if (typeof codings === "string") return Effect.fail(unknown)
    // Compressed data hardly compresses again. A body that grows many times and is still compressed is an attack.
    const between = Math.min(maxBytes, Math.max(maxSyncOutput, body.length * 4))
    return codings.reduceRight(
      (bytes: Effect.Effect<Buffer, SentryRejection>, coding, i) =>
        Effect.flatMap(bytes, (input) => decodeCoding(input, coding, i === 0 ? maxBytes : between)),
      Effect.succeed(body),
    )
  })

/** Decodes a body synchronously. Returns null if that would block the event loop; use `decodeBody` then. */
export const decodeBodySync = (
  body: Buffer,
  contentEncoding: string | undefined,
  maxBytes: number,
): Result.Result<Buffer, SentryRejection> | null => {
  if (contentEncoding === undefined || contentEncoding === "" || contentEncoding === "identity") {
    return body.length > maxBytes ? tooLarge : Result.succeed(body)
  }
  const codings = readCodings(contentEncoding)
  if (typeof codings === "string") return Result.fail(unknown)
  if (body.length > maxBytes) return tooLarge
  if (codings.length === 0 || body.length === 0) return Result.succeed(body)
  const coding = codings[0]!
  if (codings.length > 1) return null
  if (coding === "br" || coding === "zstd" || body.length > maxSyncInput) return null
  const limit = Math.min(maxBytes, maxSyncOutput)
  const decoded = inflateNow(body, coding, limit)
  return decoded === "too_large" && limit < maxBytes ? null : eitherOf(decoded)
}

/** Returns true if a body has a coding. */
export const usesCoding = (contentEncoding: string | undefined, coding: Coding): boolean => {
  const codings = readCodings(contentEncoding ?? "")
  return typeof codings !== "string" && codings.includes(coding)
}

/**
 * Decodes the first bytes of a body, at most `maxBytes`, from the part that has arrived, e.g. to read the first line of
 * an envelope before the rest. Returns fewer bytes for a short part, and none if its first block is incomplete. Every
 * longer part starts with the same bytes.
 *
 * The cost is bounded: it reads at most `prefixInputBytes`. Fails with `unknown_encoding` or `invalid_encoding`.
 */
export const decodePrefix = (
  body: Buffer,
  contentEncoding: string | undefined,
  maxBytes: number,
): Effect.Effect<Buffer, SentryRejection> => {
  if (contentEncoding === undefined || contentEncoding === "" || contentEncoding === "identity") {
    return Effect.succeed(body.subarray(0, maxBytes))
  }
  const codings = readCodings(contentEncoding)
  if (typeof codings === "string") return Effect.fail(unknown)
  return codings.reduceRight(
    (bytes: Effect.Effect<Buffer, SentryRejection>, coding, i) =>
      Effect.flatMap(bytes, (input) =>
        rejecting(inflatePrefix(input, coding, wantedOf(codings, i, maxBytes))),
      ),
    Effect.succeed(codings.length === 0 ? body.subarray(0, maxBytes) : body),
  )
}

/** Returns how many bytes of a body `decodePrefix` reads at most: a longer part decodes to the same prefix. */
export const prefixInputBytes = (contentEncoding: string | undefined, maxBytes: number): number => {
  const codings = readCodings(contentEncoding ?? "")
  return typeof codings === "string" ? 0 : wantedOf(codings, codings.length, maxBytes)
}

// internal

// Below these sizes, zlib takes well under a millisecond, and a thread of the pool costs more than it saves.
const maxSyncInput = 32 * 1024
const maxCodings = 4

const names = new Map<string, Coding>([
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["deflate", "deflate"],
  ["br", "br"],
  ["zstd", "zstd"],
])

// Values of clients that put a charset, a transfer coding or a media type into the header.
const nonsense =
  /^(?:identity|none|null|undefined|binary|[78]bit|chunked|base64|quoted-printable|\*|(?:x-)?(?:utf|ucs|iso|us-ascii|ascii|ansi|latin|windows|cp|koi8|gb|big5|euc|shift|unicode)[-_\da-z]*)$/
const token = /^[a-z\d][a-z\d._+-]*$/

const readCodings = (header: string): ReadonlyArray<Coding> | "unknown" => {
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

const unknown = reject("unknown_encoding", "The Content-Encoding of the body is not supported")
const large = reject("too_large", "The body is too large")
const tooLarge = Result.fail(large)

const rejections: Readonly<Record<DecodeFailure, SentryRejection>> = {
  too_large: large,
  too_slow: reject("too_large", "The body takes too long to decode"),
  invalid: reject("invalid_encoding", "The body cannot be decoded with its Content-Encoding"),
  unsupported: unknown,
}

const eitherOf = (decoded: Buffer | DecodeFailure): Result.Result<Buffer, SentryRejection> =>
  typeof decoded === "string" ? Result.fail(rejections[decoded]) : Result.succeed(decoded)

const rejecting = (decoded: Effect.Effect<Buffer, DecodeFailure>): Effect.Effect<Buffer, SentryRejection> =>
  Effect.mapError(decoded, (failure) => rejections[failure])

const decodeCoding = (
  body: Buffer,
  coding: Coding,
  maxBytes: number,
): Effect.Effect<Buffer, SentryRejection> =>
  rejecting(coding === "zstd" ? decodeZstd(body, maxBytes) : inflateInSteps(body, coding, maxBytes))

/** Returns how many bytes are needed of the input of the first `i` codings of a list. */
const wantedOf = (codings: ReadonlyArray<Coding>, i: number, maxBytes: number): number =>
  codings.slice(0, i).reduce((bytes, coding) => prefixInput(coding, bytes), maxBytes)
