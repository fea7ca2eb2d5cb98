/** Reads request bodies of Node servers. */
import type { IncomingMessage } from "node:http"
import type { BodyMemory } from "./BodyMemory.js"
import { BodyReader, type BodyRejected, type BodySource } from "./RequestBody.js"
import { forwardedOr } from "./SenderAddress.js"

/** After a rejection, the rest of the body is read and discarded so that the client receives the response. */
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

/** For a client that sends `Expect: 100-continue`: calls `go` before the first byte is read. */
export const whenWanted = (request: IncomingMessage, go: () => void): void => {
  expecting.set(request, go)
}

/** Sends `100 Continue` to a client that expects it. */
export const want = (request: IncomingMessage): void => {
  if (request.headers.expect !== undefined) expecting.get(request)?.()
}

/** Discards the rest of the body, so that the client can read the response. Destroys the connection above a limit. */
export const discard = (request: IncomingMessage, maxBytes: number): void => {
  // Bodies that are somewhat too large are read completely.
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
    // The client may have disconnected during authentication. No later event reports that.
    if (request.destroyed) {
      reader.abort()
      return
    }
    want(request)
    request.on("data", (chunk: Buffer) => reader.push(chunk))
    request.on("end", () => this.isRefused || reader.end())
    request.on("error", () => reader.abort())
    request.on("close", () => reader.abort())
    // It may be paused.
    request.resume()
  }

  hold(): void {
    this.request.pause()
  }

  /**
   * Responds while the rest of the body still arrives, or after it if the response closes the connection: closing a
   * connection with unread bytes loses the response. Never waits for slow senders.
   */
  refuse(reason: BodyRejected["reason"], answer: () => void): void {
    const { request } = this
    this.isRefused = true
    // Node discards an unread body that has arrived completely.
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

/** Node joins repeated headers of this name. */
const forwardedFor = ({ headers }: IncomingMessage): string | undefined =>
  headers["x-forwarded-for"] as string | undefined

/** The /64 network for IPv6, since one customer of a provider has 2^64 addresses. */
const networkOf = (address: string): string =>
  address.includes(":") && !address.includes(".") ? address.split(":").slice(0, 4).join(":") : address
