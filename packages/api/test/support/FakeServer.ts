/** An HTTP server with prepared responses that records its requests. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface Asked {
  readonly method: string
  /** With the query. */
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

export type Answer = (response: ServerResponse, asked: Asked) => void

export interface FakeServer {
  readonly url: string
  readonly asked: ReadonlyArray<Asked>
  /** Sets the responses. The last one is repeated. */
  readonly answers: (...answers: ReadonlyArray<Answer>) => void
  /** Resolves when the server has received this many requests. */
  readonly askedTimes: (count: number) => Promise<void>
  readonly stop: () => Promise<void>
}

export const startFakeServer = async (): Promise<FakeServer> => {
  const asked: Array<Asked> = []
  let script: ReadonlyArray<Answer> = []
  let answered = 0
  let noticed = () => {}
  // Never closes idle connections. A client that reused one just then would retry on a test clock that stands still.
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const chunks: Array<Buffer> = []
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      // The client disconnected.
      return
    }
    const { headers, method = "", url = "" } = request
    const entry = { method, url, headers, body: Buffer.concat(chunks).toString() }
    asked.push(entry)
    noticed()
    const answer = script[Math.min(answered++, script.length - 1)]
    answer?.(response, entry)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    answers: (...answers) => {
      script = answers
      answered = 0
      asked.length = 0
    },
    askedTimes: (count) =>
      new Promise((resolve) => {
        noticed = () => asked.length >= count && resolve()
        noticed()
      }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))
  }

export const bytes =
  (body: Uint8Array): Answer =>
  (response) => {
    response.writeHead(200, { "content-type": "application/octet-stream" }).end(body)
  }

export const problem = (
  status: number,
  members: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Answer =>
  json(
    status,
    { type: "about:blank", title: "Title", status, detail: "Detail", ...members },
    { "content-type": "application/problem+json", ...headers },
  )

export const noContent: Answer = (response) => {
  response.writeHead(204).end()
}

/** The error page of a proxy that cannot reach its server. */
export const html =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response
      .writeHead(status, { "content-type": "text/html", ...headers })
      .end("<html><title>Bad Gateway</title></html>")
  }

/** Closes the connection without a response. */
export const hangUp: Answer = (response) => {
  response.destroy()
}

/** Closes the connection in the middle of the body. */
export const breakOff =
  (status = 200): Answer =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", "content-length": "1000" })
    response.write('{"projects": [', () => response.destroy())
  }

/** Never responds. */
export const silence: Answer = () => {}
