/** Requests byte by byte: clients that hide nothing, and repeat nothing unless they are told to. */
import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from "node:http"
import type { Socket } from "node:net"

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Sending {
  readonly method?: string
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string | Uint8Array
  /**
   * For how many milliseconds a server keeps a connection that nobody uses. A request on a kept one that may have been
   * longer without use is sent again where it breaks, as HTTP clients do. Without this nothing is repeated.
   */
  readonly keptFor?: number
  /** Sent in several chunks, without a length beforehand. */
  readonly chunked?: boolean
  readonly agent?: Agent
}

/** Rejects where no answer came: the connection was refused or broke. */
export const send = (url: string, sending: Sending = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const body = sending.body === undefined ? undefined : Buffer.from(sending.body)
    const outgoing = request(url, {
      method: sending.method ?? (body === undefined ? "GET" : "POST"),
      agent: sending.agent ?? false,
      headers: {
        ...(body === undefined || sending.chunked ? {} : { "content-length": body.length }),
        ...sending.headers,
      },
    })
    let answered = false
    let pause = 0
    outgoing.on("socket", (socket) => {
      // The answer to the request before may have been read late: by the server's clock the pause began any time since.
      pause = performance.now() - (lastUse.get(socket) ?? 0)
      lastUse.set(socket, performance.now())
    })
    outgoing.on("response", (response) => {
      answered = true
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("error", reject)
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      )
    })
    // A server may answer and hang up while the body is still on its way.
    outgoing.on("error", (error) => {
      if (answered) return
      if (outgoing.reusedSocket && pause >= (sending.keptFor ?? Number.POSITIVE_INFINITY))
        resolve(send(url, sending))
      else reject(error)
    })
    if (body === undefined) return void outgoing.end()
    if (!sending.chunked) return void outgoing.end(body)
    for (let at = 0; at < body.length; at += 64 * 1024) outgoing.write(body.subarray(at, at + 64 * 1024))
    outgoing.end()
  })

/** Connections that are kept, as many as there are requests at a time. */
export const keepAlive = (connections: number): Agent =>
  new Agent({ keepAlive: true, maxSockets: connections, scheduling: "fifo" })

// internal

/** When the last request was sent on a connection. */
const lastUse = new WeakMap<Socket, number>()
