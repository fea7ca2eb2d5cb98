/** Messages of the protocol as they go by: no more of them is read than it takes to send them on. */

/** A message, or a batch of them, that a client has written. */
export interface Message {
  readonly json: string
  /** Undefined where no answer is waited for. */
  readonly id: string | number | undefined
  readonly method: string | undefined
  /** The request that is not to be answered any more, if the message says so. */
  readonly cancels: string | number | undefined
  /** The revision that it names itself; undefined in those that agree on one at the beginning. */
  readonly revision: string | undefined
  /** What it is about: a tool, a prompt, a resource. */
  readonly name: string | undefined
}

/** Null for a line that is no JSON. */
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

/** The headers that say what is in the body, for those revisions that ask for them. */
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

/** The revision that an answer to `initialize` agrees on. */
export const agreedRevision = (answer: string): string | undefined =>
  textOf(asObject(asObject(parsed(answer))["result"])["protocolVersion"])

/** An answer of the protocol in one line; null where the text is none. */
export const answerLine = (text: string): string | null => {
  const value = parsed(text)
  const first = Array.isArray(value) ? value[0] : value
  return asObject(first)["jsonrpc"] === "2.0" ? JSON.stringify(value) : null
}

/** What a client is told whose request was not answered. */
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

/** What a header cannot hold is encoded as the protocol says. */
const headerValue = (text: string): string =>
  /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/i.test(text)
    ? text
    : `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`
