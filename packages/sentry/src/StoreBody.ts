/** The body of the `store` endpoint: JSON, base64, or deflated base64. `GET` has it in `sentry_data`. */
import { inflateSync } from "node:zlib"
import type { IngestLimits } from "@errata/core/ports"
import { Result } from "effect"
import { decodeText, isRecord, parseJson, type UnknownRecord } from "./internal/json.js"
import { SentryRejection } from "./SentryRejection.js"

/** The body of a request to the `store` endpoint. */
export interface StoreBody {
  readonly event: UnknownRecord
  /** The event's JSON for storage. */
  readonly json: Buffer
}

/** Decodes a `store` body that is not blank. */
export const parseStoreBody = (
  body: Buffer,
  limits: IngestLimits,
): Result.Result<StoreBody, SentryRejection> => {
  let json = body
  if (!startsObject(body)) {
    // Base64 adds a third, and form encoding adds more.
    if (body.length > limits.maxEventBytes * 4) return tooLarge
    const unwrapped = unwrap(decodeText(body), limits.maxEventBytes)
    if (Result.isFailure(unwrapped)) return Result.fail(unwrapped.failure)
    json = unwrapped.success
  }
  if (json.length > limits.maxEventBytes) return tooLarge
  const event = parseJson(decodeText(json))
  return isRecord(event) ? Result.succeed({ event, json }) : notJson
}

// internal

const tooLarge = Result.fail(new SentryRejection({ reason: "too_large", detail: "The event is too large" }))
const notJson = Result.fail(
  new SentryRejection({ reason: "invalid_json", detail: "The event is not a JSON object" }),
)

const brace = 123

const startsObject = (bytes: Buffer): boolean => {
  let i = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  while (i < bytes.length && (bytes[i] === 32 || (bytes[i]! >= 9 && bytes[i]! <= 13))) i++
  return bytes[i] === brace
}

const unwrap = (text: string, maxBytes: number): Result.Result<Buffer, SentryRejection> => {
  const form = text.startsWith("sentry_data=") ? (new URLSearchParams(text).get("sentry_data") ?? "") : text
  if (form.trimStart().startsWith("{")) return Result.succeed(Buffer.from(form))
  // An unescaped `+` in a query is parsed as a space.
  const bytes = Buffer.from(form.trim().replaceAll(" ", "+"), "base64")
  if (bytes.length === 0) return notJson
  if (startsObject(bytes)) return Result.succeed(bytes)
  try {
    return Result.succeed(inflateSync(bytes, { maxOutputLength: maxBytes }))
  } catch (error) {
    return isTooLarge(error) ? tooLarge : notJson
  }
}

const isTooLarge = (error: unknown): boolean =>
  error instanceof RangeError && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE"
