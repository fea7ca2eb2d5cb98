/** A webhook receiver that records deliveries and sends prepared responses. */
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
  readonly json: any
}

export interface Receiver {
  readonly url: string
  readonly received: ReadonlyArray<Received>
  /** Sets the responses to the next requests. Later ones respond with 204. */
  readonly answerNext: (...answers: ReadonlyArray<(response: ServerResponse) => void>) => void
  readonly clear: () => void
  /** Closes idle connections. */
  readonly closeIdle: () => void
  readonly stop: () => Promise<void>
}

export const status =
  (code: number, headers: Readonly<Record<string, string>> = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(code, headers).end()
  }

export const start = async (): Promise<Receiver> => {
  const received: Array<Received> = []
  const next: Array<(response: ServerResponse) => void> = []
  const listen: RequestListener = (request, response) => {
    let body = ""
    request.on("data", (chunk) => {
      body += chunk
    })
    request.on("end", () => {
      received.push({ path: request.url ?? "", headers: request.headers, body, json: JSON.parse(body) })
      const answer = next.shift() ?? status(204)
      answer(response)
    })
  }
  const server = createServer(listen)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answerNext: (...answers) => {
      next.push(...answers)
    },
    clear: () => {
      received.length = 0
      next.length = 0
    },
    closeIdle: () => server.closeIdleConnections(),
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
