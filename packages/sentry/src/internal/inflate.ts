/** Decodes gzip, deflate, br and zstd with Node's zlib: small bodies synchronously, others in steps on its threads. */
import zlib from "node:zlib"
import { Effect } from "effect"

export type Coding = "gzip" | "deflate" | "br" | "zstd"

export type DecodeFailure = "too_large" | "too_slow" | "invalid" | "unsupported"

/**
 * Decodes synchronously. Not for br: its decoder fills a window of up to 16 MiB before the first byte and takes 30 ms
 * for a body of 50 bytes. Not for zstd: a small body can contain thousands of expensive blocks.
 */
export const inflateNow = (
  body: Buffer,
  coding: "gzip" | "deflate",
  maxOutputLength: number,
): Buffer | DecodeFailure => {
  const options = { maxOutputLength }
  try {
    if (coding === "gzip") return zlib.gunzipSync(body, options)
    return hasZlibHeader(body) ? zlib.inflateSync(body, options) : zlib.inflateRawSync(body, options)
  } catch (error) {
    return error instanceof RangeError && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE"
      ? "too_large"
      : "invalid"
  }
}

export interface StepOptions {
  /** Time limit in milliseconds. No step starts after it. */
  readonly maxMillis: number
  /** A clock in milliseconds. */
  readonly now: () => number
}

/**
 * Decodes in steps of at most 64 KiB of input and 128 KiB of output. Input without output also costs time, about a
 * second for 10 MiB. In one step, it would block one of the few threads and could not be interrupted.
 */
export const inflateInSteps = (
  body: Buffer,
  coding: Coding,
  maxBytes: number,
  { maxMillis, now }: StepOptions = defaultSteps,
): Effect.Effect<Buffer, DecodeFailure> =>
  Effect.callback((resume) => {
    const stream = start(body, coding, body.length > stepBytes ? largeChunk : smallChunk, maxBytes)
    const parts: Array<Buffer> = []
    const deadline = now() + maxMillis
    let size = 0
    let at = 0
    const fail = (failure: DecodeFailure) => {
      stream.destroy()
      resume(Effect.fail(failure))
    }
    const step = () => {
      if (stream.destroyed) return
      if (now() > deadline) fail("too_slow")
      else if (at === body.length) stream.end()
      else {
        const input = body.subarray(at, at + stepBytes)
        at += input.length
        stream.write(input, step)
      }
    }
    stream.on("data", (part: Buffer) => {
      size += part.length
      if (size > maxBytes) fail("too_large")
      else parts.push(part)
    })
    stream.on("end", () => resume(Effect.succeed(Buffer.concat(parts, size))))
    stream.on("error", (error) => resume(Effect.fail(failureOf(error))))
    step()
    return Effect.sync(() => stream.destroy())
  })

/** Returns how many bytes of a body `inflatePrefix` reads at most: the content and the framing of the coding. */
export const prefixInput = (coding: Coding, maxBytes: number): number =>
  // A compressed block of zstd returns nothing until it is complete.
  coding === "zstd" ? maxZstdBlock + framing : maxBytes + framing

/** Decodes the first bytes from a part of a body, in one step: `maxBytes`, or as many as the part contains. */
export const inflatePrefix = (
  body: Buffer,
  coding: Coding,
  maxBytes: number,
): Effect.Effect<Buffer, DecodeFailure> =>
  Effect.callback((resume) => {
    const input = body.subarray(0, prefixInput(coding, maxBytes))
    const stream = start(body, coding, Math.max(maxBytes, minChunk), maxBytes)
    const parts: Array<Buffer> = []
    let size = 0
    const finish = () => {
      stream.destroy()
      resume(Effect.succeed(Buffer.concat(parts, size).subarray(0, maxBytes)))
    }
    stream.on("data", (part: Buffer) => {
      parts.push(part)
      size += part.length
      if (size >= maxBytes) finish()
    })
    stream.on("error", () => resume(Effect.fail("invalid")))
    // Errors and data are emitted before this runs.
    if (coding === "deflate" && input.length < 2) finish()
    else stream.write(input, () => setImmediate(finish))
    return Effect.sync(() => stream.destroy())
  })

// internal

const stepBytes = 64 * 1024
const largeChunk = 128 * 1024
const smallChunk = 32 * 1024
const minChunk = 64
const framing = 1024
const maxZstdBlock = 128 * 1024
const defaultSteps: StepOptions = { maxMillis: 5000, now: () => performance.now() }

const start = (body: Buffer, coding: Coding, chunkSize: number, maxBytes: number) => {
  switch (coding) {
    case "gzip":
      return zlib.createGunzip({ chunkSize })
    case "br":
      return zlib.createBrotliDecompress({ chunkSize })
    case "deflate":
      return hasZlibHeader(body) ? zlib.createInflate({ chunkSize }) : zlib.createInflateRaw({ chunkSize })
    case "zstd":
      // The decoder allocates the window that a frame declares, and rejects larger ones than this.
      return zlib.createZstdDecompress({
        chunkSize,
        params: { [zlib.constants.ZSTD_d_windowLogMax]: Math.max(24, Math.ceil(Math.log2(maxBytes))) },
      })
  }
}

const failureOf = (error: NodeJS.ErrnoException): DecodeFailure =>
  error.code === "ZSTD_error_frameParameter_windowTooLarge" ? "too_large" : "invalid"

// RFC 1950: method 8, a window of at most 32 KiB, and the first two bytes are a multiple of 31.
const hasZlibHeader = (body: Buffer): boolean =>
  body.length > 1 && (body[0]! & 15) === 8 && body[0]! >> 4 <= 7 && ((body[0]! << 8) | body[1]!) % 31 === 0
