/** The body of a request to Node's server. */
import type { IncomingMessage } from "node:http"
import type { BodyMemory } from "./BodyMemory.js"
import { BodyReader, type BodyRejected, type BodySource } from "./RequestBody.js"
import { forwardedOr } from "./SenderAddress.js"

/** Where a body is refused, the rest is read and thrown away so that the answer gets through. */
export const make = (
  request: IncomingMessage,
  maxBytes: number,
  memory: BodyMemory,
  trustedProxies = 0,
): BodyReader =>
  new BodyReader({
    source: new NodeSource(request, maxBytes),
    maxBytes,
    length: Number(request.headers["content-length"] ?? Number.NaN),
    memory,
    address: networkOf(
      forwardedOr(request.socket.remoteAddress ?? "", forwardedFor(request), trustedProxies),
    ),
  })

/** For a sender that waits to be told that its body is wanted: calls `go` before the first byte is asked for. */
export const whenWanted = (request: IncomingMessage, go: () => void): void => {
  expecting.set(request, go)
}

/** Has a sender that waits for that send its body. */
export const want = (request: IncomingMessage): void => {
  if (request.headers.expect !== undefined) expecting.get(request)?.()
}

/** Reads on without keeping anything, so that the sender gets to read its answer; up to a limit, then hangs up. */
export const discard = (request: IncomingMessage, maxBytes: number): void => {
  // Bodies somewhat too large are read to their end.
  let left = maxBytes * 4
  request.on("data", (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) request.destroy()
  })
  request.on("error", () => {})
  request.resume()
}

// internal

const expecting = new WeakMap<IncomingMessage, () => void>()

class NodeSource implements BodySource {
  private hasBegun = false
  private isRefused = false

  constructor(
    private readonly request: IncomingMessage,
    private readonly maxBytes: number,
  ) {}

  flow(reader: BodyReader): void {
    const { request } = this
    if (this.hasBegun) {
      request.resume()
      return
    }
    this.hasBegun = true
    // The sender may have left while the storage was asked whose key it is; no event tells of it any more.
    if (request.destroyed) {
      reader.abort()
      return
    }
    want(request)
    request.on("data", (chunk: Buffer) => reader.push(chunk))
    request.on("end", () => this.isRefused || reader.end())
    request.on("error", () => reader.abort())
    request.on("close", () => reader.abort())
    // It may have been held before.
    request.resume()
  }

  hold(): void {
    this.request.pause()
  }

  /**
   * Answers while the rest is still being read; or after it, where the answer closes the connection: closing it on what
   * has not been read takes the answer along. Nobody waits for the slow.
   */
  refuse(reason: BodyRejected["reason"], answer: () => void): void {
    const { request } = this
    this.isRefused = true
    // Node throws away itself what nobody has begun to read and is here.
    if (request.complete && !this.hasBegun) {
      answer()
      return
    }
    request.removeAllListeners("data")
    discard(request, this.maxBytes)
    const closes = request.headers.connection?.toLowerCase() === "close"
    if (closes && reason !== "slow" && reason !== "aborted" && request.headers.expect === undefined) {
      request.on("end", answer)
      request.on("close", answer)
    } else {
      answer()
    }
  }
}

/** Node joins the lines of this header. */
const forwardedFor = ({ headers }: IncomingMessage): string | undefined =>
  headers["x-forwarded-for"] as string | undefined

/** One customer of a provider has 2^64 addresses of IPv6. */
const networkOf = (address: string): string =>
  address.includes(":") && !address.includes(".") ? address.split(":").slice(0, 4).join(":") : address
