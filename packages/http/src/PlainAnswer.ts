/** Responses as plain values, since thousands are created per second. */
import type { IncomingMessage, ServerResponse } from "node:http"

export interface PlainAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Empty for no body. */
  readonly body: string | Buffer
}

/** Plain text that caches do not keep and browsers do not run. */
export const textOf = (
  status: number,
  body: string,
  contentType = "text/plain",
  headers: Readonly<Record<string, string>> = {},
): PlainAnswer => ({
  status,
  body,
  headers: {
    "content-type": contentType,
    "content-length": String(Buffer.byteLength(body)),
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    ...headers,
  },
})

export const sendNode = (request: IncomingMessage, response: ServerResponse, answer: PlainAnswer): void => {
  // A stop has already responded to slow requests.
  if (response.destroyed || response.headersSent) return
  response.writeHead(answer.status, answer.headers)
  if (request.method === "HEAD" || answer.body.length === 0) response.end()
  else response.end(answer.body)
}

export const toWeb = (request: Request, { body, headers, status }: PlainAnswer): Response => {
  const withoutBody = request.method === "HEAD" || body.length === 0
  return new Response(withoutBody ? null : typeof body === "string" ? body : new Uint8Array(body), {
    status,
    headers,
  })
}
