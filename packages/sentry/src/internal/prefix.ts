/**
 * The first bytes of what a body decodes to, from as much of the body as has come. Sees a small part of the body only
 * and makes at most a few times of what is asked for, so that it may be called before anyone knows who sends.
 */
import type { ZSTDDecoder } from "zstddec"
import { type DecodeFailure, type Inflated, inflateNow } from "./inflate.js"
import { decodeFrames } from "./zstdDecoder.js"
import { readPrefix } from "./zstdFrames.js"

export const inflatePrefix = (body: Buffer, coding: Inflated, maxBytes: number): Buffer | DecodeFailure => {
  // What does not compress takes hardly more room compressed.
  const input = body.subarray(0, maxBytes + maxFraming)
  if (coding === "deflate" && input.length < 2) return empty
  const options = { maxOutputLength: maxBytes * 16, isPartial: true }
  let output: Buffer = empty
  let low = 0
  let high = input.length + 1
  // Mostly one turn is enough. Of what compresses very well fewer bytes have to do: as many as stay within the limit.
  for (let end = input.length; high - low > 1 && output.length < maxBytes; end = (low + high) >> 1) {
    const decoded = inflateNow(input.subarray(0, end), coding, options)
    if (decoded === "too_large") high = end
    else if (typeof decoded === "string") return decoded
    else {
      output = decoded
      low = end
    }
  }
  return output.subarray(0, maxBytes)
}

export const zstdPrefix = (decoder: ZSTDDecoder, body: Buffer, maxBytes: number): Buffer | DecodeFailure => {
  const prefix = readPrefix(body, maxBytes)
  if (prefix === null) return empty
  if (typeof prefix === "string") return prefix
  return decodeFrames(decoder, prefix.frame, prefix.outputBytes)?.subarray(0, maxBytes) ?? "invalid"
}

// internal

const empty = Buffer.alloc(0)
const maxFraming = 1024
