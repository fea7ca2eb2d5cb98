/** The one place where failures of REST requests become answers. */
import { type HttpEffect, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { randomUUID } from "node:crypto"
import { Problem } from "@errata/api"
import { Cause, Effect } from "effect"
import type { AllowedMethods } from "./AllowedMethods.js"
import { validationFailedOf } from "./Issues.js"

export interface ProblemSettings {
  readonly baseUrl: () => string
  readonly allowedMethods: AllowedMethods
}

/** Answers every failure of an app with a problem document. Only an aborted request still fails. */
export const handle =
  (settings: ProblemSettings) =>
  <R>(app: HttpEffect.Default<unknown, R>): HttpEffect.Default<never, R> =>
    Effect.catchCause(app, (cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.interrupt
        : Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => respond(cause, request, settings)),
    )

// internal

/** The document of a problem, with its type made absolute. */
const render = (
  problem: Problem.Problem,
  baseUrl: string,
  headers: Readonly<Record<string, string>> = {},
): HttpServerResponse.HttpServerResponse => {
  const { _tag, type, ...rest } = problem
  const document = { type: type.startsWith("/") ? baseUrl + type : type, ...rest }
  return HttpServerResponse.text(JSON.stringify(document), {
    status: problem.status,
    contentType: Problem.problemMediaType,
    headers: { ...headersOf(problem), ...headers },
  })
}

const retryAfterSeconds = "5"

const headersOf = (problem: Problem.Problem): Readonly<Record<string, string>> => {
  switch (problem._tag) {
    case "Unauthorized":
      return { "www-authenticate": "Bearer" }
    case "ServiceUnavailable":
      return { "retry-after": retryAfterSeconds }
    default:
      return {}
  }
}

const respond = (
  cause: Cause.Cause<unknown>,
  request: HttpServerRequest.HttpServerRequest,
  { allowedMethods, baseUrl }: ProblemSettings,
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const failure = Cause.findErrorOption(cause)
  if (failure._tag === "Some") {
    const error = failure.value
    if (error instanceof HttpServerError.RouteNotFound) {
      const methods = allowedMethods(pathOf(request.url))
      return Effect.succeed(
        // A path that its own method cannot find is one that the router could not read.
        methods.length === 0 || methods.includes(request.method)
          ? render(Problem.notFound("No such page"), baseUrl())
          : render(Problem.methodNotAllowed(`${request.method} is not allowed here`), baseUrl(), {
              allow: methods.join(", "),
            }),
      )
    }
    if (error instanceof HttpApiError.HttpApiDecodeError) {
      // Only ids fail to decode in a path, and no such id exists.
      const inPath = error.issues.some(({ path }) => pathParams.has(path[0]))
      return Effect.succeed(
        render(inPath ? Problem.notFound("No such page") : validationFailedOf(error.issues), baseUrl()),
      )
    }
    if (isProblem(error)) return Effect.succeed(render(error, baseUrl()))
  }
  const correlationId = randomUUID()
  return Effect.logError("Request failed", cause).pipe(
    Effect.annotateLogs({
      correlation_id: correlationId,
      method: request.method,
      path: pathOf(request.url),
    }),
    Effect.as(render(Problem.internalServerError(correlationId), baseUrl())),
  )
}

const pathParams = new Set<PropertyKey | undefined>([
  "project_id",
  "group_id",
  "report_id",
  "attachment_id",
  "merge_id",
  "note_id",
  "user_id",
  "origin_id",
  "app_id",
  "webhook_id",
  "delivery_id",
  "event_id",
  "run_id",
  "release_id",
  "bundle_id",
  "payload_id",
])

const pathOf = (url: string): string => {
  const query = url.indexOf("?")
  return query === -1 ? url : url.slice(0, query)
}

const isProblem = (error: unknown): error is Problem.Problem =>
  typeof error === "object" && error !== null && "status" in error && "title" in error && "type" in error
