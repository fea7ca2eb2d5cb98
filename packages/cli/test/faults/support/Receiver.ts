/** Somebody on loopback who is told by webhooks. What comes can be left without an answer for a while. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, type Scope } from "effect"

export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Receiver {
  readonly url: string
  /** All that came, answered or not. */
  readonly received: ReadonlyArray<Received>
  /** What is left without an answer now. */
  readonly open: () => ReadonlyArray<Received>
  /** What was given up by its sender before there was an answer. */
  readonly abandoned: ReadonlyArray<Received>
  /** From now on nothing is answered. */
  readonly hold: () => void
  /** Answers what is open, and all that comes from now on. */
  readonly answer: () => void
}

/** The event of a message and its group, as the body says it. */
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
