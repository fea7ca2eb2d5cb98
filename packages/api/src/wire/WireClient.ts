/** A client that checks every response against the server's OpenAPI document, and for secrets. */
import type { Json } from "./Json.js"
import type { OpenApiSchemas, Operation } from "./OpenApiSchemas.js"

/** The parts of a request besides its path. */
export interface Sending {
  /** Sent as JSON. Strings and bytes are sent as they are. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: Query
}

export type Query = Readonly<Record<string, string | number | boolean>>

/** A response of the server. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly bytes: Uint8Array
  readonly json: Json
}

export interface WireClientOptions {
  readonly apiUrl: string
  /** Null to send no key. */
  readonly apiKey: string | null
  readonly schemas: OpenApiSchemas
  /** Texts that no response may contain. */
  readonly secrets: ReadonlyArray<string>
}

/** Sends requests to the server under test, and checks every answer against the OpenAPI document. */
export class WireClient {
  constructor(readonly options: WireClientOptions) {}

  get(path: string, query: Query = {}, status = 200): Promise<Json> {
    return this.expect(status, "GET", path, { query })
  }

  post(path: string, body?: unknown, status = 204): Promise<Json> {
    return this.expect(status, "POST", path, { body })
  }

  patch(path: string, body: unknown, status = 200): Promise<Json> {
    return this.expect(status, "PATCH", path, { body })
  }

  put(path: string, body: unknown, status = 204): Promise<Json> {
    return this.expect(status, "PUT", path, { body })
  }

  delete(path: string, body?: unknown, status = 204): Promise<Json> {
    return this.expect(status, "DELETE", path, { body })
  }

  /** Sends a request that must have this status. Returns the JSON of the response. */
  async expect(status: number, method: string, path: string, sending: Sending = {}): Promise<Json> {
    const answer = await this.send(method, path, sending)
    if (answer.status !== status) fail(method, path, sending, `answered ${summary(answer)}, not ${status}`)
    return answer.json
  }

  /** Fails unless the request is rejected for exactly these fields. */
  async refused(
    method: string,
    path: string,
    sending: Sending,
    ...fields: ReadonlyArray<string>
  ): Promise<void> {
    const { errors } = await this.expect(422, method, path, sending)
    // The field of an array element may end with its index.
    const named = [...new Set(Object.keys(errors).map((field) => field.replace(/\.\d+$/, "")))].sort()
    if (named.join() !== [...fields].sort().join()) {
      fail(method, path, sending, `was refused for ${JSON.stringify(errors)}, not ${fields.join(", ")}`)
    }
    for (const messages of Object.values<Json>(errors)) {
      if (messages.length === 0) fail(method, path, sending, `was refused without a word`)
    }
  }

  /** Sends a documented request and checks the response. */
  async send(method: string, path: string, sending: Sending = {}): Promise<Answer> {
    const operation = this.options.schemas.find(method, path.split("?")[0]!)
    if (operation === undefined) fail(method, path, sending, "is not documented")
    const answer = await this.sendAny(method, path, sending)
    const problem =
      problemOf(operation, answer, method, this.options.schemas) ??
      (answer.status < 300 && isJson(sending.body)
        ? this.options.schemas.problemOfRequest(operation, sending.body)
        : null)
    if (problem !== null) fail(method, path, sending, `answered ${summary(answer)}: ${problem}`)
    return answer
  }

  /** Sends a request that may be undocumented. Only the checks of every response apply. */
  async sendAny(method: string, path: string, sending: Sending = {}): Promise<Answer> {
    const { apiKey, apiUrl, secrets } = this.options
    const { body, headers, query = {} } = sending
    const search = new URLSearchParams(
      Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
    )
    const response = await fetch(`${apiUrl}${path}${search.size === 0 ? "" : `?${search}`}`, {
      method,
      headers: {
        accept: "application/json",
        ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isJson(body) ? JSON.stringify(body) : (body as string) }),
    })
    const bytes = new Uint8Array(await response.arrayBuffer())
    const text = new TextDecoder().decode(bytes)
    const answer = { status: response.status, headers: response.headers, text, bytes, json: parsed(text) }
    const problem = problemOfAny(
      answer,
      method,
      createsWebhook(method, path) ? secrets : [...secrets, "whsec_"],
    )
    if (problem !== null) fail(method, path, sending, `answered ${summary(answer)}: ${problem}`)
    return answer
  }
}

// internal

const createsWebhook = (method: string, path: string): boolean =>
  method === "POST" && path.endsWith("/webhooks")

const securityHeaders: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
}

const problemMediaType = "application/problem+json"

/** Checks that apply to every response. */
const problemOfAny = (answer: Answer, method: string, secrets: ReadonlyArray<string>): string | null => {
  const { headers, json, status, text } = answer
  for (const [name, value] of Object.entries(securityHeaders)) {
    if (headers.get(name) !== value) return `the header ${name} is ${headers.get(name)}`
  }
  if (!headers.get("content-security-policy")?.includes("default-src 'none'"))
    return "no content security policy"
  for (const secret of secrets) if (text.includes(secret)) return "a secret is in the answer"
  if ((method === "HEAD" || status === 204) && text !== "") return "there is a body"
  if (status < 400 || method === "HEAD") return null
  if (mediaTypeOf(answer) !== problemMediaType) return "no problem document"
  if (typeof json?.type !== "string" || typeof json.title !== "string") return "no type or title"
  if (json.status !== status) return "the problem has another status"
  if (status === 401 && headers.get("www-authenticate") === null) return "no WWW-Authenticate"
  if (status === 405 && headers.get("allow") === null) return "no Allow"
  if (status === 503 && headers.get("retry-after") === null) return "no Retry-After"
  return null
}

const problemOf = (
  operation: Operation,
  answer: Answer,
  method: string,
  schemas: OpenApiSchemas,
): string | null => {
  if (method === "HEAD") return null
  const mediaType = answer.status === 204 ? undefined : mediaTypeOf(answer)
  return schemas.problemOfAnswer(operation, answer.status, mediaType, answer.json)
}

const mediaTypeOf = ({ headers }: Answer): string | undefined =>
  headers.get("content-type")?.split(";")[0]?.trim().toLowerCase()

const isJson = (body: unknown): boolean =>
  body !== undefined && typeof body !== "string" && !(body instanceof Uint8Array)

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const summary = ({ status, text }: Answer): string => `${status} ${text.slice(0, 500)}`

function fail(method: string, path: string, { body, query }: Sending, what: string): never {
  const sent = body === undefined ? "" : ` ${JSON.stringify(body).slice(0, 200)}`
  const search = query === undefined ? "" : `?${new URLSearchParams(query as Record<string, string>)}`
  throw new Error(`${method} ${path}${search}${sent} ${what}`)
}
