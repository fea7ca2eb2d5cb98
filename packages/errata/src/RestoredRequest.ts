/** Restores requests whose body was read by middleware such as `express.json()`, which leaves it in `request.body`. */
import { IncomingMessage } from "node:http"

/** Returns a request with an unread body, or the same one if its body is unread. Null if the body was not kept. */
export const restored = (request: IncomingMessage): IncomingMessage | null => {
  if (!request.readableDidRead && !request.readableEnded) return request
  const bytes = bytesOf(request)
  if (bytes === null) return null
  const copy = new IncomingMessage(request.socket)
  // The middleware has decoded the body.
  const { "content-encoding": _, "transfer-encoding": __, ...headers } = request.headers
  Object.assign(copy, {
    method: request.method,
    url: request.url,
    // The URL with the prefix that the application's router has removed.
    originalUrl: "originalUrl" in request ? request.originalUrl : undefined,
    httpVersion: request.httpVersion,
    httpVersionMajor: request.httpVersionMajor,
    httpVersionMinor: request.httpVersionMinor,
    headers: { ...headers, "content-length": String(bytes.length) },
  })
  copy.push(bytes)
  copy.push(null)
  copy.complete = true
  originals.set(copy, request)
  return copy
}

/** The request that `restored` received, or the same request if it was not restored. */
export const originalOf = <R extends object>(request: R): R | IncomingMessage =>
  originals.get(request) ?? request

// internal

const originals = new WeakMap<object, IncomingMessage>()

const bytesOf = (request: IncomingMessage): Buffer | null => {
  const body: unknown = "body" in request ? request.body : undefined
  if (Buffer.isBuffer(body)) return body
  if (typeof body === "string") return Buffer.from(body)
  const type = request.headers["content-type"] ?? ""
  if (body === undefined || body === null) return isEmpty(request) ? Buffer.alloc(0) : null
  return /^application\/x-www-form-urlencoded\b/i.test(type)
    ? Buffer.from(new URLSearchParams(Object.entries(body).flatMap(fieldsOf)).toString())
    : Buffer.from(JSON.stringify(body))
}

const isEmpty = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0

const fieldsOf = ([name, value]: [string, unknown]): Array<[string, string]> =>
  Array.isArray(value) ? value.map((one): [string, string] => [name, String(one)]) : [[name, String(value)]]
