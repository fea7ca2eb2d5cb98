/** The contract's endpoints as functions with typed failures. */
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

/** Endpoints by group and name. The contract types their requests and responses; this module treats all alike. */
export type Calls = Readonly<Record<string, Readonly<Record<string, Call>>>>

export type Call = (request: CallRequest) => Effect.Effect<unknown, unknown>

/** An endpoint function of Effect's HttpApiClient. */
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
    // Effect types each endpoint separately.
    (groups) =>
      Record.map(
        groups as unknown as Readonly<Record<string, Readonly<Record<string, Send>>>>,
        (endpoints, group) =>
          Record.map(endpoints, (send, endpoint) => callOf(send, `ErrataClient.${group}.${endpoint}`)),
      ),
  )

// internal

/** A response with an unexpected shape. Its content is not part of the error, since it may be a secret. */
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
      Effect.mapError((error) => describe(error, path, answer.current)),
      Effect.provideService(LastAnswer, answer),
      Effect.withSpan(span, undefined, { captureStackTrace: false }),
    )
  }

/** Converts failures of Effect's client to the failures of this client. */
const describe = (error: unknown, path: object, answer: Answer): unknown => {
  if (error instanceof OtherShape) {
    const at = error.at === base ? "" : ` at ${error.at}`
    return new UnexpectedAnswer({ ...answer, detail: `it has an unexpected shape${at}` })
  }
  if (isResponseError(error)) {
    return new UnexpectedAnswer({ ...answer, detail: "this operation has no response with that status" })
  }
  if (!Schema.isSchemaError(error)) return error
  // The request did not pass its schema. Fail as the server would have.
  const issues = issuesOf(error)
  if (issues.some(({ field }) => field in path)) return noSuchId
  return Problem.validationFailed(
    Record.map(
      Array.groupBy(issues, ({ field }) => field),
      Array.map(({ message }) => message),
    ),
  )
}

/** Field name for errors about a whole input or response. */
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
