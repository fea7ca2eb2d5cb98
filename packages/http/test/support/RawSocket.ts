/** A bare connection, to see what `fetch` hides. */
import { connect, type Socket } from "node:net"
import { until } from "./until.js"

export interface RawResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export class RawSocket {
  received = ""
  closed = false

  private constructor(private readonly socket: Socket) {
    socket.on("data", (chunk) => {
      this.received += chunk.toString("latin1")
    })
    socket.on("close", () => {
      this.closed = true
    })
    socket.on("error", () => {})
  }

  static open(port: number): Promise<RawSocket> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1")
      socket.once("error", reject)
      socket.once("connect", () => resolve(new RawSocket(socket)))
    })
  }

  write(data: string | Uint8Array): void {
    this.socket.write(data)
  }

  /** Writes, and waits until all of it is on its way or has failed. */
  send(data: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      if (this.socket.destroyed) resolve()
      else this.socket.write(data, () => resolve())
    })
  }

  /** Says that nothing more will be sent, and goes on listening. */
  finish(): void {
    this.socket.end()
  }

  /** Hangs up without a goodbye. */
  abort(): void {
    this.socket.resetAndDestroy()
  }

  /** Waits for the other side to have come so far. */
  until(reached: (self: RawSocket) => boolean, what: string): Promise<void> {
    return until(() => reached(this), what)
  }

  /** The next responses, in order, taken off what was received. */
  async responses(methods: ReadonlyArray<string>): Promise<ReadonlyArray<RawResponse>> {
    const responses: Array<RawResponse> = []
    for (const method of methods) {
      let taken: { readonly response: RawResponse; readonly end: number } | null = null
      await this.until(
        () => {
          taken = take(this.received, method)
          return taken !== null
        },
        `response ${responses.length + 1}`,
      )
      const { end, response } = taken!
      responses.push(response)
      this.received = this.received.slice(end)
    }
    return responses
  }

  async response(method = "POST"): Promise<RawResponse> {
    return (await this.responses([method]))[0]!
  }
}

// internal

const take = (
  text: string,
  method: string,
): { readonly response: RawResponse; readonly end: number } | null => {
  const head = text.indexOf("\r\n\r\n")
  if (head === -1) return null
  const [line = "", ...fields] = text.slice(0, head).split("\r\n")
  const headers: Record<string, string> = {}
  for (const field of fields) {
    const colon = field.indexOf(":")
    headers[field.slice(0, colon).toLowerCase()] = field.slice(colon + 1).trim()
  }
  const status = Number(line.split(" ")[1])
  const bodiless = method === "HEAD" || status === 204 || status === 100
  const length = bodiless ? 0 : Number(headers["content-length"] ?? 0)
  const end = head + 4 + length
  if (text.length < end) return null
  return { response: { status, headers, body: text.slice(head + 4, end) }, end }
}
