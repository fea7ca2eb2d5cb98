/** Raw HTTP requests that expose every failure. They are retried only with `keptFor`. */
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
   * The server's keep-alive timeout in ms. If a kept connection was idle for longer and breaks, the request is
   * repeated, as HTTP clients do. Without this nothing is repeated.
   */
  readonly keptFor?: number
  /** Sent in chunks, without a content length. */
  readonly chunked?: boolean
  readonly agent?: Agent
}

/** Rejects if no response arrived: the connection was refused or broke. */
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
      // Counted from the previous request, since its response may have been read late.
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
    // A server may respond and close the connection before it has read the body.
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

/** Keep-alive connections, one per concurrent request. */
export const keepAlive = (connections: number): Agent =>
  new Agent({ keepAlive: true, maxSockets: connections, scheduling: "fifo" })

// internal

/** Time of the last request on a connection. */
const lastUse = new WeakMap<Socket, number>()
