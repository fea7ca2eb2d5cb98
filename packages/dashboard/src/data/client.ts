/** The client of the REST API. All that talks to the server is in this folder, one file per noun. */
import {
  ConnectionFailedError,
  clientOver,
  ErrataApiError,
  type ProblemDocument,
  type ReceivedAnswer,
  type SentRequest,
} from "@errata/api/promise"
import { takeAhead, timeout } from "./ahead.js"
import { apiUrl, rootUrl, serviceName } from "./root.js"
import { bearer, renew, toSignIn } from "./session.js"

const json = "application/json"

/** The parts of a request that are sent. */
type Sent = Pick<SentRequest, "body" | "method" | "name" | "url">

/** Sends with the session's token. A rejected token is renewed once. */
const sendFor =
  (accept: string) =>
  async (request: Sent, signal: AbortSignal | undefined): Promise<ReceivedAnswer> => {
    const answer = await once(request, accept, await bearer(), signal)
    if (answer.status !== 401 || import.meta.env.ERRATA_API_KEY !== undefined) return answer
    const again = await once(request, accept, await renew(), signal)
    return again.status === 401 ? toSignIn() : again
  }

export const api = clientOver({ baseUrl: rootUrl, serviceName }, sendFor(json))

/** Returns a response of another type than JSON, as text. */
export const fetchText = async (path: string, accept: string): Promise<string> => {
  const sent = { name: `GET ${path}`, method: "GET", url: apiUrl + path, body: null }
  const answer = await sendFor(accept)(sent, undefined)
  const text = new TextDecoder().decode(answer.body)
  if (answer.status < 400) return text
  throw new ErrataApiError(sent.name, problemOf(text, answer.status), answer.headers.get("retry-after"))
}

// internal

const once = async (
  { body, method, name, url }: Sent,
  accept: string,
  token: string,
  signal: AbortSignal | undefined,
): Promise<ReceivedAnswer> => {
  const late = AbortSignal.timeout(timeout)
  try {
    const ahead = method === "GET" ? takeAhead(url) : undefined
    const response = await (ahead ??
      fetch(url, {
        method,
        headers: {
          accept,
          authorization: `Bearer ${token}`,
          ...(body === null ? {} : { "content-type": json }),
        },
        body,
        signal: signal === undefined ? late : AbortSignal.any([signal, late]),
      }))
    return {
      status: response.status,
      headers: response.headers,
      body: new Uint8Array(await response.arrayBuffer()),
    }
  } catch (error) {
    signal?.throwIfAborted()
    // A request that was sent ahead has a limit of its own.
    throw late.aborted || (error instanceof DOMException && error.name === "TimeoutError")
      ? new ConnectionFailedError(name, "timeout", `no response within ${timeout / 1000} s`)
      : new ConnectionFailedError(name, "transport", "the server was not reached")
  }
}

const problemOf = (text: string, status: number): ProblemDocument => {
  try {
    const problem = JSON.parse(text) as ProblemDocument
    if (typeof problem.title === "string") return { ...problem, status }
  } catch {
    // A proxy's page, for example.
  }
  return { title: `Status ${status}`, status }
}
