/** Reports what goes wrong unexpectedly, and answers for Errata below `/errors`. */
import { WebHandler } from "@errata/http"
import { Cause, Effect, type Scope } from "effect"
import { HttpEffect, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { Capture, type Services } from "errata/effect"

export const path = "/errors"

/** Errors and requirements stay those of the application. */
export type Middleware = <E, R>(app: App<E, R>) => App<E, R | HttpServerRequest.HttpServerRequest>

type App<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/** Built once: the handler that it holds ends with the scope. */
export const make = (
  origin: string,
): Effect.Effect<Middleware, never, Capture | Services.Services | Scope.Scope> =>
  Effect.gen(function* () {
    const { capture } = yield* Capture
    const handler = yield* WebHandler.make({ baseUrl: `${origin}${path}` })
    // It answers whatever it is asked: that it cannot read a request is a defect of the server.
    const errata = Effect.orDie(HttpEffect.fromWebHandler(handler))

    const report = (cause: Cause.Cause<unknown>, request: HttpServerRequest.HttpServerRequest) =>
      Cause.hasDies(cause)
        ? capture(Cause.squash(cause), {
            handled: false,
            request: { url: request.url, method: request.method, headers: request.headers },
          }).pipe(
            Effect.catch((failure) => Effect.logWarning("An error was not reported", failure)),
            // An answer is not late because an error is reported.
            Effect.forkDetach,
          )
        : Effect.void

    return <E, R>(app: App<E, R>) =>
      Effect.flatMap(
        HttpServerRequest.HttpServerRequest,
        (request): App<E, R | HttpServerRequest.HttpServerRequest> =>
          request.url === path || request.url.startsWith(`${path}/`)
            ? errata
            : Effect.tapCause(app, (cause) => report(cause, request)),
      )
  })
