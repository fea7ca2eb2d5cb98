/** Messages of the protocol, parsed only as far as forwarding requires. */

/** A message or a batch of a client. */
export interface Message {
  readonly json: string
  /** Undefined for messages without a response. */
  readonly id: string | number | undefined
  readonly method: string | undefined
  /** The id of the request that the message cancels. */
  readonly cancels: string | number | undefined
  /** The revision in the message; undefined in revisions that negotiate one with `initialize`. */
  readonly revision: string | undefined
  /** The name of a tool or prompt, or the address of a resource. */
  readonly name: string | undefined
}

/** Parses a line; null if it is not JSON. */
export const parse = (line: string): Message | null => {
  const value = parsed(line)
  if (value === undefined) return null
  const message = asObject(value)
  const params = asObject(message["params"])
  return {
    json: line,
    id: idOf(message["id"]),
    method: textOf(message["method"]),
    cancels: message["method"] === "notifications/cancelled" ? idOf(params["requestId"]) : undefined,
    revision: textOf(asObject(params["_meta"])["io.modelcontextprotocol/protocolVersion"]),
    name: textOf(params["name"]) ?? textOf(params["uri"]),
  }
}

/** Headers that repeat parts of the body, for revisions that require them. */
export const headersOf = (
  { method, name, revision }: Message,
  agreed: string | undefined,
): Readonly<Record<string, string>> => {
  if (revision === undefined) return agreed === undefined ? {} : { "mcp-protocol-version": agreed }
  return {
    "mcp-protocol-version": revision,
    ...(method !== undefined && { "mcp-method": headerValue(method) }),
    ...(name !== undefined && { "mcp-name": headerValue(name) }),
  }
}

/** The negotiated revision in a response to `initialize`. */
export const agreedRevision = (answer: string): string | undefined =>
  textOf(asObject(asObject(parsed(answer))["result"])["protocolVersion"])

/** A response of the protocol in one line; null for other text. */
export const answerLine = (text: string): string | null => {
  const value = parsed(text)
  const first = Array.isArray(value) ? value[0] : value
  return asObject(first)["jsonrpc"] === "2.0" ? JSON.stringify(value) : null
}

/** An error response for a request that the server did not answer. */
export const failureLine = (id: string | number | null, message: string, code = -32_000): string =>
  JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })

// internal

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const asObject = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

const idOf = (value: unknown): string | number | undefined =>
  typeof value === "string" || typeof value === "number" ? value : undefined

/** Encodes characters that headers cannot contain, as the protocol defines. */
const headerValue = (text: string): string =>
  /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/i.test(text)
    ? text
    : `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`
