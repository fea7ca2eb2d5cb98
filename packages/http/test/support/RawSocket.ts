/** A TCP connection, for details that `fetch` hides. */
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

  /** Resolves when the data is written or the write has failed. */
  send(data: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      if (this.socket.destroyed) resolve()
      else this.socket.write(data, () => resolve())
    })
  }

  /** Closes the sending side and continues to read. */
  finish(): void {
    this.socket.end()
  }

  /** Resets the connection. */
  abort(): void {
    this.socket.resetAndDestroy()
  }

  /** Polls until the condition holds. */
  until(reached: (self: RawSocket) => boolean, what: string): Promise<void> {
    return until(() => reached(this), what)
  }

  /** Reads the next responses, in order, and removes them from the received data. */
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
