/** Builds a request, sends it, and interprets the response. */
import { isPathSegment } from "../internal/BaseUrl.js"
import { faultText } from "../internal/Faults.js"
import { nextWait, type RetryPolicy } from "../internal/Retries.js"
import type { Call, CallRequest } from "../surface/Surface.js"
import type { Credential } from "./Credential.js"
import { ConnectionFailedError, errorOf, type ProblemDocument, UnexpectedAnswerError } from "./ErrataError.js"

/** A request to the API. */
export interface SentRequest {
  /** Method and path without the query, for messages. */
  readonly name: string
  /** Group and name of the endpoint in the contract. */
  readonly endpoint: readonly [group: string, name: string]
  readonly method: string
  readonly url: string
  /** Path parameters by name. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** JSON, or null without a body. */
  readonly body: string | null
}

/** A response with its body. */
export interface ReceivedAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: Uint8Array
}

/** Sends a request and returns the response. The call rejects with the same reason as this. */
export type Send = (request: SentRequest, signal: AbortSignal | undefined) => Promise<ReceivedAnswer>

export interface FetchSettings {
  readonly credential: Credential
  readonly fetch: typeof globalThis.fetch
  /** Timeout of each attempt, in milliseconds. */
  readonly timeout: number
  readonly retries: RetryPolicy
  readonly time: Time
}

/** The clock and the random numbers, which tests replace. */
export interface Time {
  readonly now: () => number
  /** From 0 to 1, exclusive. */
  readonly random: () => number
  /** Rejects with the signal's reason if it is aborted. */
  readonly sleep: (millis: number, signal: AbortSignal | undefined) => Promise<void>
}

export type Caller = (
  call: Pick<Call, "endpoint" | "route">,
  request: CallRequest,
  signal: AbortSignal | undefined,
) => Promise<unknown>

/** `apiUrl` is the URL of the API. */
export const makeCaller =
  (apiUrl: string, send: Send): Caller =>
  async ({ endpoint, route }, request, signal) => {
    const [method, template, success, ...has] = route
    const ids = Object.entries(request.path ?? {}).map(([name, id]) => [name, String(id)] as const)
    const path = ids.reduce(
      (path, [name, id]) => path.replace(`:${name}`, () => encodeURIComponent(id)),
      template,
    )
    const name = `${method} ${new URL(apiUrl).pathname}${path}`
    if (!ids.every(([, id]) => isPathSegment(id))) throw errorOf(name, noSuchId, null)
    const query = queryOf(request.urlParams)
    const sent: SentRequest = {
      name,
      endpoint,
      method,
      url: apiUrl + path + (query.size === 0 ? "" : `?${query}`),
      params: Object.fromEntries(ids),
      query,
      body: request.payload === undefined ? null : JSON.stringify(request.payload),
    }
    return settle(await send(sent, signal), name, success, has.includes("bytes"))
  }

/** Sends requests over `fetch` with a key or token, a timeout and retries. */
export const sendOver =
  (settings: FetchSettings): Send =>
  async (sent, signal) => {
    const { credential } = settings
    signal?.throwIfAborted()
    const key = await credential.current()
    const received = await persist(sent, key, settings, signal)
    if (received.status !== 401) return received
    // 401 means that the request was not processed, so every method can be sent again.
    const other = await credential.inPlaceOf(key)
    return other === null ? received : persist(sent, other, settings, signal)
  }

/** The real clock. */
export const realTime: Time = {
  now: Date.now,
  random: Math.random,
  sleep: (millis, signal) =>
    new Promise((resolve, reject) => {
      const aborted = () => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", aborted)
        resolve()
      }, millis)
      if (signal?.aborted === true) aborted()
      else signal?.addEventListener("abort", aborted, { once: true })
    }),
}

// internal

const queryOf = (params: object | undefined): URLSearchParams => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params ?? {})) {
    if (value !== undefined && value !== null) query.append(name, String(value))
  }
  return query
}

const persist = async (
  sent: SentRequest,
  key: string,
  settings: FetchSettings,
  signal: AbortSignal | undefined,
): Promise<ReceivedAnswer> => {
  const { retries: policy, time } = settings
  let waited = 0
  for (let retries = 0; ; retries++) {
    signal?.throwIfAborted()
    const received = await once(sent, key, settings, signal)
    const failed = received instanceof ConnectionFailedError
    // A retry does not help a slow server, and the caller has set how long it waits.
    if (failed && received.reason === "timeout") throw received
    const outcome = failed
      ? ({ _tag: "NoAnswer" } as const)
      : ({
          _tag: "Answer",
          status: received.status,
          retryAfter: received.headers.get("retry-after"),
          date: received.headers.get("date"),
        } as const)
    const wait = nextWait(
      policy,
      { method: sent.method, outcome, retries, waited },
      time.now(),
      time.random(),
    )
    if (wait === null) {
      if (failed) throw received
      return received
    }
    await time.sleep(wait, signal)
    waited += wait
  }
}

/** One attempt, including the body: a response that breaks off counts as none. */
const once = async (
  sent: SentRequest,
  key: string,
  { fetch, timeout }: FetchSettings,
  signal: AbortSignal | undefined,
): Promise<ReceivedAnswer | ConnectionFailedError> => {
  const controller = new AbortController()
  const abort = () => controller.abort(signal?.reason)
  signal?.addEventListener("abort", abort, { once: true })
  let late = false
  const timer = setTimeout(() => {
    late = true
    controller.abort()
  }, timeout)
  const answer = async (): Promise<ReceivedAnswer> => {
    const response = await fetch(sent.url, {
      method: sent.method,
      headers: {
        accept: "application/json",
        authorization: `Bearer ${key}`,
        ...(sent.body === null ? {} : { "content-type": "application/json" }),
      },
      body: sent.body,
      // `fetch` would follow a redirected POST with a GET.
      redirect: "manual",
      signal: controller.signal,
    })
    const body = new Uint8Array(await response.arrayBuffer())
    return { status: response.status, headers: response.headers, body }
  }
  // A custom `fetch` may ignore its signal.
  const ended = new Promise<never>((_, reject) => {
    controller.signal.addEventListener("abort", () => reject(controller.signal.reason), { once: true })
  })
  try {
    return await Promise.race([answer(), ended])
  } catch (cause) {
    signal?.throwIfAborted()
    // The cause is dropped: a custom `fetch` may put secrets into its errors.
    return late
      ? new ConnectionFailedError(sent.name, "timeout", `no response within ${timeout} ms`)
      : new ConnectionFailedError(sent.name, "transport", faultText(cause, key))
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener("abort", abort)
  }
}

const settle = (
  { body, headers, status }: ReceivedAnswer,
  name: string,
  success: number,
  isBytes: boolean,
): unknown => {
  const unexpected = (detail: string) =>
    new UnexpectedAnswerError(name, status, headers.get("content-type"), detail)
  // 200 in place of 202: the work was already done.
  if (status === success || (success === 202 && status === 200)) {
    if (status === 204) return undefined
    if (isBytes) return body
    const answer = parseObject(body)
    if (answer === null) throw unexpected("it is not a JSON object")
    return answer
  }
  if (status < 400) throw unexpected(redirection(status, headers.get("location")))
  const problem = parseObject(body)
  if (problem === null || typeof problem["title"] !== "string" || problem["status"] !== status) {
    throw unexpected("it is not a problem document")
  }
  throw errorOf(name, problem as ProblemDocument, headers.get("retry-after"))
}

const parseObject = (body: Uint8Array): Record<string, unknown> | null => {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body))
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

const redirection = (status: number, location: string | null): string =>
  status >= 300 && location !== null && URL.canParse(location)
    ? `it redirects to ${new URL(location).origin}. Check the baseUrl`
    : "this operation has no response with that status"

const noSuchId: ProblemDocument = {
  type: "about:blank",
  title: "Not Found",
  status: 404,
  detail: "No such id",
}
