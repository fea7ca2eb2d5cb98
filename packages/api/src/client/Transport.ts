/** Sends requests with the key, a timeout and retries, and rejects responses that are not from the API. */

import { Clock, Context, Duration, Effect, Random, Redacted, Result, Schema } from "effect"
import { HttpClient, type HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"
import { faultText } from "../internal/Faults.js"
import { nextWait, type Outcome, type RetryPolicy } from "../internal/Retries.js"
import * as Problem from "../Problem.js"
import { ConnectionFailed, UnexpectedAnswer } from "./Failure.js"

export interface TransportSettings {
  readonly apiKey: Redacted.Redacted
  /** Timeout of each attempt. */
  readonly timeout: Duration.Duration
  readonly retries: RetryPolicy
}

export type TransportFailure = ConnectionFailed | UnexpectedAnswer | Problem.TooManyRequests

/** The parts of a response that errors may contain. */
export interface Answer {
  /** Method and path. */
  readonly request: string
  readonly status: number
  readonly contentType: string | null
}

export const noAnswer: Answer = { request: "", status: 0, contentType: null }

/** The last response to a call, for errors about its body. */
export const LastAnswer = Context.Reference<{ current: Answer }>("@errata/api/client/LastAnswer", {
  defaultValue: () => ({ current: noAnswer }),
})

export const make = (
  client: HttpClient.HttpClient,
  settings: TransportSettings,
): HttpClient.HttpClient.With<TransportFailure | HttpClientError.HttpClientError> =>
  client.pipe(
    HttpClient.mapRequest((request) =>
      request.pipe(HttpClientRequest.bearerToken(settings.apiKey), HttpClientRequest.acceptJson),
    ),
    HttpClient.transform((send, request) => persist(send, request, settings)),
  )

// internal

type Send = Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>

interface Received extends Answer {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array<ArrayBuffer>
}

const persist = (
  send: Send,
  request: HttpClientRequest.HttpClientRequest,
  settings: TransportSettings,
): Effect.Effect<HttpClientResponse.HttpClientResponse, TransportFailure> => {
  const attempt = once(send, request, settings)
  const go = (
    retries: number,
    waited: number,
  ): Effect.Effect<HttpClientResponse.HttpClientResponse, TransportFailure> =>
    Effect.gen(function* () {
      const received = yield* Effect.result(attempt)
      const outcome = outcomeOf(received)
      const wait =
        outcome === null
          ? null
          : nextWait(
              settings.retries,
              { method: request.method, outcome, retries, waited },
              yield* Clock.currentTimeMillis,
              yield* Random.next,
            )
      if (wait === null) return yield* settle(request, yield* Effect.fromResult(received))
      yield* Effect.sleep(wait)
      return yield* go(retries + 1, waited + wait)
    })
  return go(0, 0)
}

/** One attempt, including the body: a response that breaks off counts as none. */
const once = (
  send: Send,
  request: HttpClientRequest.HttpClientRequest,
  { apiKey, timeout }: TransportSettings,
): Effect.Effect<Received, ConnectionFailed> => {
  const name = nameOf(request)
  return send.pipe(
    // A custom HttpClient may fail for some statuses.
    Effect.catchTag("HttpClientError", (error) =>
      error.reason._tag === "StatusCodeError" ? Effect.succeed(error.reason.response) : Effect.fail(error),
    ),
    Effect.flatMap((response) =>
      Effect.map(response.arrayBuffer, (body) => ({
        request: name,
        status: response.status,
        contentType: response.headers["content-type"] ?? null,
        headers: response.headers,
        body: new Uint8Array(body),
      })),
    ),
    // The error itself contains the request, and so the key.
    Effect.mapError(
      (error) =>
        new ConnectionFailed({
          request: name,
          reason: "transport",
          detail: faultText(error.reason.cause ?? error.reason.description, Redacted.value(apiKey)),
        }),
    ),
    Effect.timeoutOrElse({
      duration: timeout,
      orElse: () =>
        Effect.fail(
          new ConnectionFailed({
            request: name,
            reason: "timeout",
            detail: `no response within ${Duration.format(timeout)}`,
          }),
        ),
    }),
  )
}

const outcomeOf = (received: Result.Result<Received, ConnectionFailed>): Outcome | null => {
  if (Result.isSuccess(received)) {
    const { headers, status } = received.success
    return {
      _tag: "Answer",
      status,
      retryAfter: headers["retry-after"] ?? null,
      date: headers["date"] ?? null,
    }
  }
  // A retry does not help a slow server, and the caller has set how long it waits.
  return received.failure.reason === "timeout" ? null : { _tag: "NoAnswer" }
}

const settle = (
  request: HttpClientRequest.HttpClientRequest,
  { body, headers, ...answer }: Received,
): Effect.Effect<HttpClientResponse.HttpClientResponse, TransportFailure> =>
  Effect.gen(function* () {
    const { status } = answer
    const succeeded = status >= 200 && status < 300
    if (!succeeded) {
      if (status < 400 || status > 599) {
        return yield* new UnexpectedAnswer({ ...answer, detail: redirection(status, headers["location"]) })
      }
      const problem = yield* Effect.mapError(
        decodeProblem(new TextDecoder().decode(body)),
        () => new UnexpectedAnswer({ ...answer, detail: "it is not a problem document" }),
      )
      if (status === 429) {
        return yield* Effect.fail(Problem.tooManyRequests(problem.detail ?? problem.title))
      }
    }
    ;(yield* LastAnswer).current = answer
    // A fresh response, whose body can be read even if the HttpClient has consumed the original.
    return HttpClientResponse.fromWeb(request, new Response(body.byteLength === 0 ? null : body, { status }))
  })

const decodeProblem = Schema.decodeUnknownEffect(
  Schema.fromJsonString(
    Schema.Struct({ title: Schema.String, status: Schema.Int, detail: Schema.optional(Schema.String) }),
  ),
)

const redirection = (status: number, location: string | undefined): string =>
  status >= 300 && location !== undefined && URL.canParse(location)
    ? `it redirects to ${new URL(location).origin}. Check the baseUrl`
    : "it is not a response of the API"

// The query is left out, since it contains search terms.
const nameOf = ({ method, url }: HttpClientRequest.HttpClientRequest): string =>
  `${method} ${URL.canParse(url) ? new URL(url).pathname : url}`
