/** Requests whose body somebody has read before: `express.json()` and its like leave it in `request.body`. */
import { IncomingMessage } from "node:http"

/**
 * The request as it would be had nobody read it; the same one where nobody has. Null where the body is gone: it was read
 * and not left anywhere.
 */
export const restored = (request: IncomingMessage): IncomingMessage | null => {
  if (!request.readableDidRead && !request.readableEnded) return request
  const bytes = bytesOf(request)
  if (bytes === null) return null
  const copy = new IncomingMessage(request.socket)
  // What read the body has undone its coding.
  const { "content-encoding": _, "transfer-encoding": __, ...headers } = request.headers
  Object.assign(copy, {
    method: request.method,
    url: request.url,
    // Shows the prefix that the application's router took off.
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

/** What a request was restored from; itself where nobody had read it. */
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
