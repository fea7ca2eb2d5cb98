/** A webhook receiver on loopback that can hold its responses back. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, type Scope } from "effect"

export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Receiver {
  readonly url: string
  /** All received requests, answered or not. */
  readonly received: ReadonlyArray<Received>
  /** Requests without a response so far. */
  readonly open: () => ReadonlyArray<Received>
  /** Requests that the sender gave up before there was a response. */
  readonly abandoned: ReadonlyArray<Received>
  /** Holds back all responses from now on. */
  readonly hold: () => void
  /** Responds to all open and later requests. */
  readonly answer: () => void
}

/** The event name and group id in a message. */
export const told = ({ body }: Received): string => {
  const { event, group_id } = JSON.parse(body)
  return `${event} ${group_id}`
}

export const messageId = ({ headers }: Received): string => String(headers["webhook-id"])

export const make: Effect.Effect<Receiver, never, Scope.Scope> = Effect.gen(function* () {
  const received: Array<Received> = []
  const abandoned: Array<Received> = []
  const open = new Map<ServerResponse, Received>()
  let isHolding = false
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const one = { headers: request.headers, body: Buffer.concat(chunks).toString() }
      received.push(one)
      if (!isHolding) return void response.writeHead(204).end()
      open.set(response, one)
      response.once("close", () => {
        if (open.delete(response)) abandoned.push(one)
      })
    })
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () =>
      Effect.promise(() => {
        server.closeAllConnections()
        return new Promise<unknown>((resolve) => server.close(resolve))
      }),
  )
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    abandoned,
    open: () => [...open.values()],
    hold: () => {
      isHolding = true
    },
    answer: () => {
      isHolding = false
      for (const response of [...open.keys()]) {
        open.delete(response)
        response.writeHead(204).end()
      }
    },
  }
})
