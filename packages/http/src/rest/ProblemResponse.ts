/** Converts failures of REST requests to responses. */
import { Problem } from "@errata/api"
import { DecodeIssues } from "@errata/core/internal"
import { Cause, Effect, Option } from "effect"
import { HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import type { HttpApp } from "../HttpApp.js"
import { documentOf, headersOf } from "../ProblemDocument.js"
import type { AllowedMethods } from "./AllowedMethods.js"
import { validationFailedOf } from "./Issues.js"
import { notFoundPage } from "./pages/NotFoundPage.js"
import { takesHtml } from "./pages/Page.js"
import { isProblem, unexpected } from "./UnexpectedFailure.js"

export interface ProblemSettings {
  readonly baseUrl: () => string
  readonly allowedMethods: AllowedMethods
}

/** Responds to every failure of an app with a problem document. Only aborted requests still fail. */
export const handle =
  (settings: ProblemSettings) =>
  <R>(app: HttpApp<unknown, R>): HttpApp<never, R> =>
    Effect.catchCause(app, (cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.interrupt
        : Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => respond(cause, request, settings)),
    )

// internal

const render = (
  problem: Problem.Problem,
  baseUrl: string,
  headers: Readonly<Record<string, string>> = {},
): HttpServerResponse.HttpServerResponse => {
  return HttpServerResponse.text(documentOf(problem, baseUrl), {
    status: problem.status,
    contentType: Problem.problemMediaType,
    headers: { ...headersOf(problem), ...headers },
  })
}

const respond = (
  cause: Cause.Cause<unknown>,
  request: HttpServerRequest.HttpServerRequest,
  { allowedMethods, baseUrl }: ProblemSettings,
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const failure = Cause.findErrorOption(cause)
  if (Option.isSome(failure)) {
    const error = failure.value
    if (HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound") {
      const methods = allowedMethods(pathOf(request.url))
      // A path that its own method cannot find is one that the router could not read.
      const isUnknown = methods.length === 0 || methods.includes(request.method)
      if (isUnknown && isBrowser(request)) return Effect.succeed(notFoundPage(pathOf(request.url)))
      return Effect.succeed(
        isUnknown
          ? render(Problem.notFound("No such page"), baseUrl(), { vary: "accept" })
          : render(Problem.methodNotAllowed(`${request.method} is not allowed here`), baseUrl(), {
              allow: methods.join(", "),
            }),
      )
    }
    if (HttpApiError.HttpApiSchemaError.is(error)) {
      // Only ids fail to decode in a path, and no such id exists.
      if (error.kind === "Params") return Effect.succeed(render(Problem.notFound("No such page"), baseUrl()))
      if (error.kind === "Query") {
        return Effect.succeed(render(validationFailedOf(DecodeIssues.of(error.cause.issue)), baseUrl()))
      }
    }
    if (isProblem(error)) return Effect.succeed(render(error, baseUrl()))
  }
  return Effect.map(unexpected(cause, request.method, pathOf(request.url)), (problem) =>
    render(problem, baseUrl()),
  )
}

const isBrowser = ({ headers, method }: HttpServerRequest.HttpServerRequest): boolean =>
  (method === "GET" || method === "HEAD") && takesHtml(headers["accept"])

const pathOf = (url: string): string => url.split("?", 1)[0]!
