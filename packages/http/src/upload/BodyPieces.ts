/** Reads bodies that are too large for memory in pieces, with backpressure. */
import { IncomingMessage } from "node:http"
import { type Duration, Effect } from "effect"
import * as NodeBody from "../NodeBody.js"
import { BodyRejected } from "../RequestBody.js"

export interface BodyPieces {
  /** Reads the next piece. Null at the end. */
  readonly next: Effect.Effect<Uint8Array | null, BodyRejected>
  /** Discards the rest of the body, so that the client can read the response. */
  readonly discard: () => void
}

export const make = (source: unknown, maxBytes: number): BodyPieces =>
  source instanceof IncomingMessage ? new NodePieces(source, maxBytes) : new WebPieces(source as Request)

/** Adds a timeout for each piece, since other requests wait for the slot. */
export const within = ({ discard, next }: BodyPieces, patience: Duration.Input): BodyPieces => ({
  next: Effect.timeoutOrElse(next, {
    duration: patience,
    orElse: () => Effect.fail(new BodyRejected({ reason: "slow" })),
  }),
  discard,
})

// internal

const aborted = new BodyRejected({ reason: "aborted" })

class NodePieces implements BodyPieces {
  private readonly here: Array<Uint8Array> = []
  private hasBegun = false
  private hasEnded = false
  private hasFailed = false
  private wake: () => void = () => {}

  constructor(
    private readonly request: IncomingMessage,
    private readonly maxBytes: number,
  ) {}

  readonly next = Effect.callback<Uint8Array | null, BodyRejected>((resume) => {
    this.begin()
    const take = () => {
      const piece = this.here.shift()
      if (piece !== undefined) this.finish(() => resume(Effect.succeed(piece)))
      else if (this.hasEnded) this.finish(() => resume(Effect.succeed(null)))
      else if (this.hasFailed) this.finish(() => resume(Effect.fail(aborted)))
      else {
        this.wake = take
        this.request.resume()
      }
    }
    take()
    return Effect.sync(() => this.finish(() => {}))
  })

  readonly discard = () => {
    const { request } = this
    this.here.length = 0
    if (this.hasEnded || this.hasFailed || request.complete || request.destroyed) return
    request.removeAllListeners("data")
    NodeBody.discard(request, this.maxBytes)
  }

  private begin(): void {
    if (this.hasBegun) return
    this.hasBegun = true
    const { request } = this
    // The client may have disconnected during authentication. No later event reports that.
    if (request.destroyed && !request.complete) {
      this.hasFailed = true
      return
    }
    NodeBody.want(request)
    request.on("data", (piece: Buffer) => {
      this.here.push(piece)
      request.pause()
      this.wake()
    })
    request.on("end", () => {
      this.hasEnded = true
      this.wake()
    })
    const fail = () => {
      this.hasFailed = true
      this.wake()
    }
    request.on("error", fail)
    request.on("close", fail)
  }

  private finish(done: () => void): void {
    this.wake = () => {}
    done()
  }
}

class WebPieces implements BodyPieces {
  private reader: ReadableStreamDefaultReader<Uint8Array> | null = null

  constructor(private readonly request: Request) {}

  readonly next = Effect.suspend(() => {
    const { body, bodyUsed } = this.request
    if (body === null) return Effect.succeed(null)
    if (this.reader === null) {
      if (bodyUsed || body.locked) return Effect.fail(aborted)
      this.reader = body.getReader()
    }
    const { reader } = this
    return Effect.tryPromise({ try: () => reader.read(), catch: () => aborted }).pipe(
      // Copied, since the sender may reuse the buffer.
      Effect.map(({ done, value }) => (done ? null : new Uint8Array(value))),
    )
  })

  // Not awaited: the sender may never settle it.
  readonly discard = () => {
    this.reader?.cancel().catch(() => {})
  }
}
