/** Decodes the body of a response while it arrives, with limits for the bytes read and for the bytes kept. */
import type { IncomingMessage } from "node:http"
import { PassThrough, pipeline, type Transform, Writable } from "node:stream"
import { createBrotliDecompress, createGunzip } from "node:zlib"
import { OutboundUnreadable } from "@errata/core/ports"

/** The accepted encodings. Other bodies are not read. */
export const acceptEncoding = "gzip, br"

export interface BodyBounds {
  /** Limit for the bytes on the wire and decoded: decompression bombs are small, and so may be their content. */
  readonly maxBytes: number
  readonly tailBytes: number
}

/** Reads to the end. Calls `done` with the last bytes or the failure. */
export const readDecoded = (
  incoming: IncomingMessage,
  { maxBytes, tailBytes }: BodyBounds,
  done: (body: Uint8Array | OutboundUnreadable | Error) => void,
): void => {
  const decoder = decoderOf(incoming.headers["content-encoding"])
  if (decoder === null) {
    done(new OutboundUnreadable({ reason: "encoding" }))
    incoming.destroy()
    return
  }
  const tail = new Tail(tailBytes)
  let encoded = 0
  let decoded = 0
  incoming.on("data", (chunk: Buffer) => {
    encoded += chunk.length
    if (encoded > maxBytes) sink.destroy(tooLarge())
  })
  // Without a sink, the pipeline would end when the decoder has received everything, before it has emitted everything.
  const sink = new Writable({
    write: (chunk: Buffer, _, next) => {
      decoded += chunk.length
      if (decoded > maxBytes) return next(tooLarge())
      tail.push(chunk)
      next()
    },
  })
  pipeline(incoming, decoder, sink, (error) => {
    if (error === null || error === undefined) return done(tail.bytes())
    done(isFromZlib(error) ? new OutboundUnreadable({ reason: "encoding" }) : error)
  })
}

// internal

const tooLarge = () => new OutboundUnreadable({ reason: "too_large" })

const decoderOf = (encoding: string | undefined): Transform | null => {
  switch (encoding?.trim().toLowerCase()) {
    case undefined:
    case "":
    case "identity":
      return new PassThrough()
    case "gzip":
    case "x-gzip":
      return createGunzip({ chunkSize })
    case "br":
      return createBrotliDecompress({ chunkSize })
    default:
      return null
  }
}

const chunkSize = 64 * 1024

/** Codes such as `Z_DATA_ERROR`, `Z_BUF_ERROR` and `ERR__ERROR_FORMAT_...` (brotli), each with an errno. */
const isFromZlib = (error: Error): boolean =>
  "errno" in error && "code" in error && isZlibCode(String(error.code))

const isZlibCode = (code: string): boolean => code.startsWith("Z_") || code.startsWith("ERR_")

/** Keeps the last bytes of a stream. */
class Tail {
  private chunks: Array<Buffer> = []
  private length = 0

  constructor(private readonly most: number) {}

  push(chunk: Buffer): void {
    this.chunks.push(chunk)
    this.length += chunk.length
    while (this.length - this.chunks[0]!.length >= this.most) this.length -= this.chunks.shift()!.length
  }

  bytes(): Uint8Array {
    const whole = Buffer.concat(this.chunks)
    return whole.subarray(Math.max(0, whole.length - this.most))
  }
}
