/**
 * The first bytes of what a body decodes to, from as much of the body as has come. Sees a small part of the body only
 * and makes at most a few times of what is asked for, so that it may be called before anyone knows who sends.
 */
import zlib from "node:zlib"
import type { ZSTDDecoder } from "zstddec"
import { decodeFrames } from "./zstdDecoder.js"
import { readPrefix, type ZstdFailure } from "./zstdFrames.js"

export type Inflated = "gzip" | "deflate" | "br"

/** By zlib's codings; null where the bytes do not decode. */
export const inflatePrefix = (body: Buffer, coding: Inflated, maxBytes: number): Buffer | null => {
  // What does not compress takes hardly more room compressed.
  const input = body.subarray(0, maxBytes + maxFraming)
  if (coding === "deflate" && input.length < 2) return empty
  const maxOutputLength = maxBytes * 16
  let output: Buffer = empty
  let low = 0
  let high = input.length
  // Most prefixes take the first turn only. Of those that compress very well, fewer bytes have to do.
  for (let end = high; ; end = (low + high) >> 1) {
    const result = inflate(input.subarray(0, end), coding, maxOutputLength)
    if (result === "invalid") return null
    if (result === "too_large") high = end
    else {
      output = result
      low = end
    }
    if (output.length >= maxBytes || high - low <= 1 || (end === input.length && result !== "too_large"))
      break
  }
  return output.subarray(0, maxBytes)
}

export const zstdPrefix = (decoder: ZSTDDecoder, body: Buffer, maxBytes: number): Buffer | ZstdFailure => {
  const prefix = readPrefix(body, maxBytes)
  if (prefix === null) return empty
  if (typeof prefix === "string") return prefix
  return decodeFrames(decoder, prefix.frame, prefix.outputBytes)?.subarray(0, maxBytes) ?? "invalid"
}

/** RFC 1950: method 8, a window of at most 32 KiB, and a check that makes the first two bytes a multiple of 31. */
export const hasZlibHeader = (body: Buffer): boolean =>
  body.length > 1 && (body[0]! & 15) === 8 && body[0]! >> 4 <= 7 && ((body[0]! << 8) | body[1]!) % 31 === 0

export const isTooLarge = (error: unknown): boolean =>
  error instanceof RangeError && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE"

// internal

const empty = Buffer.alloc(0)
const maxFraming = 1024

const inflate = (
  input: Buffer,
  coding: Inflated,
  maxOutputLength: number,
): Buffer | "too_large" | "invalid" => {
  // The input ends anywhere: what has been understood so far is given out.
  const options = { maxOutputLength, finishFlush: zlib.constants.Z_SYNC_FLUSH }
  try {
    switch (coding) {
      case "gzip":
        return zlib.gunzipSync(input, options)
      case "br":
        return zlib.brotliDecompressSync(input, {
          maxOutputLength,
          finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH,
        })
      case "deflate":
        return hasZlibHeader(input) ? zlib.inflateSync(input, options) : zlib.inflateRawSync(input, options)
    }
  } catch (error) {
    return isTooLarge(error) ? "too_large" : "invalid"
  }
}
