/** The contract's endpoints as functions whose failures are told apart. */
import { DecodeIssues } from "@errata/core/validation"
import { Array, Cause, Data, Effect, Predicate, Record, Schema } from "effect"
import { type HttpClient, HttpClientError } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { makeErrataApi } from "../ErrataApi.js"
import { isPathSegment } from "../internal/BaseUrl.js"
import * as Problem from "../Problem.js"
import type { CallRequest } from "../surface/Surface.js"
import { UnexpectedAnswer } from "./Failure.js"
import { type Answer, LastAnswer, noAnswer, type TransportFailure } from "./Transport.js"

/** Endpoints by group and name. What they take and answer is said by the contract; here all are treated alike. */
export type Calls = Readonly<Record<string, Readonly<Record<string, Call>>>>

export type Call = (request: CallRequest) => Effect.Effect<unknown, unknown>

/** A call of the platform's client. */
type Send = (request: Readonly<Record<string, unknown>>) => Effect.Effect<unknown, unknown>

export interface CallsOptions {
  readonly baseUrl: string
  readonly serviceName: string | undefined
  readonly httpClient: HttpClient.HttpClient.With<TransportFailure | HttpClientError.HttpClientError>
}

export const make = ({ baseUrl, httpClient, serviceName }: CallsOptions): Effect.Effect<Calls> =>
  Effect.map(
    HttpApiClient.makeWith(makeErrataApi(serviceName), {
      baseUrl,
      httpClient,
      transformResponse: Effect.catchCause((cause) => Effect.failCause(withoutBody(cause))),
    }),
    // The platform's types know every endpoint apart.
    (groups) =>
      Record.map(
        groups as unknown as Readonly<Record<string, Readonly<Record<string, Send>>>>,
        (endpoints, group) =>
          Record.map(endpoints, (send, endpoint) => callOf(send, `ErrataClient.${group}.${endpoint}`)),
      ),
  )

// internal

/** An answer of another shape. What it has instead stays out of errors: it may be a secret. */
class OtherShape extends Data.TaggedError("OtherShape")<{ readonly at: string }> {}

const withoutBody = (cause: Cause.Cause<unknown>): Cause.Cause<unknown> => {
  const errors = cause.reasons.filter(Cause.isFailReason).map(({ error }) => error)
  const wrong = errors.find(Schema.isSchemaError)
  return wrong === undefined ? cause : Cause.fail(new OtherShape({ at: issuesOf(wrong)[0]?.field ?? base }))
}

const callOf =
  (send: Send, span: string): Call =>
  (request) => {
    const path = request.path ?? {}
    if (!Object.values(path).every((value) => isPathSegment(String(value)))) return Effect.fail(noSuchId)
    const answer = { current: noAnswer }
    return send({
      params: path,
      ...(request.urlParams && { query: withoutUndefined(request.urlParams) }),
      ...(request.payload && { payload: withoutUndefined(request.payload) }),
    }).pipe(
      Effect.mapError((error) => told(error, path, answer.current)),
      Effect.provideService(LastAnswer, answer),
      Effect.withSpan(span, undefined, { captureStackTrace: false }),
    )
  }

/** What is a failure of the platform's client becomes what it means to callers. */
const told = (error: unknown, path: object, answer: Answer): unknown => {
  if (error instanceof OtherShape) {
    const at = error.at === base ? "" : ` at ${error.at}`
    return new UnexpectedAnswer({ ...answer, detail: `it has an unexpected shape${at}` })
  }
  if (isResponseError(error)) {
    return new UnexpectedAnswer({ ...answer, detail: "this operation has no response with that status" })
  }
  if (!Schema.isSchemaError(error)) return error
  // It could not be sent; the server would have said the same.
  const issues = issuesOf(error)
  if (issues.some(({ field }) => field in path)) return noSuchId
  return Problem.validationFailed(
    Record.map(
      Array.groupBy(issues, ({ field }) => field),
      Array.map(({ message }) => message),
    ),
  )
}

/** Stands for the whole of an input or an answer. */
const base = "base"

const noSuchId = Problem.notFound("No such id")

const isResponseError = (error: unknown): boolean =>
  HttpClientError.isHttpClientError(error) && error.response !== undefined

const issuesOf = (error: Schema.SchemaError) =>
  DecodeIssues.of(error.issue).map(({ message, path }) => ({
    field: path.length === 0 ? base : path.map(String).join("."),
    message,
  }))

const withoutUndefined = (fields: object): Record<string, unknown> =>
  Record.filter(fields as Readonly<Record<string, unknown>>, Predicate.isNotUndefined)
