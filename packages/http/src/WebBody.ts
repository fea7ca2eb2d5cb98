/** Reads request bodies of fetch-style servers, with backpressure. */
import type { BodyMemory } from "./BodyMemory.js"
import { BodyReader, type BodySource } from "./RequestBody.js"
import { forwardedOr } from "./SenderAddress.js"

export const make = (
  request: Request,
  maxBytes: number,
  memory: BodyMemory,
  trustedProxies = 0,
): BodyReader =>
  new BodyReader({
    source: new WebSource(request),
    maxBytes,
    length: Number(request.headers.get("content-length") ?? Number.NaN),
    memory,
    // Only a proxy knows the address of such a request.
    address: forwardedOr("", request.headers.get("x-forwarded-for") ?? undefined, trustedProxies),
  })

// internal

class WebSource implements BodySource {
  private stream: ReadableStreamDefaultReader<Uint8Array> | null = null
  private isFlowing = false
  private isReading = false
  private isDone = false

  constructor(private readonly request: Request) {}

  flow(reader: BodyReader): void {
    this.isFlowing = true
    if (this.isReading || this.isDone) return
    if (this.stream === null) {
      const { body, bodyUsed } = this.request
      if (body === null) {
        this.isDone = true
        reader.end()
        return
      }
      if (bodyUsed || body.locked) {
        this.isDone = true
        reader.abort()
        return
      }
      this.stream = body.getReader()
    }
    this.pull(this.stream, reader)
  }

  hold(): void {
    this.isFlowing = false
  }

  refuse(_: unknown, answer: () => void): void {
    this.isDone = true
    // Not awaited: the sender may never settle it.
    this.stream?.cancel().catch(() => {})
    answer()
  }

  private pull(stream: ReadableStreamDefaultReader<Uint8Array>, reader: BodyReader): void {
    this.isReading = true
    stream.read().then(
      ({ done, value }) => {
        if (this.isDone) return
        if (done) {
          this.isDone = true
          reader.end()
          return
        }
        // Copied, since the sender may reuse the buffer.
        reader.push(Buffer.from(value))
        this.isReading = false
        if (this.isFlowing && !this.isDone) this.pull(stream, reader)
      },
      () => {
        this.isDone = true
        reader.abort()
      },
    )
  }
}
