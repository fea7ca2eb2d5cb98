/** Answers for Errata below `/errors`, and leaves all other requests to the application. */
import { WebHandler } from "@errata/http"
import { Effect, type Scope } from "effect"
import { HttpEffect, HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { Services } from "errata/effect"

export const path = "/errors"

/** Errors and requirements stay those of the application. */
export type Middleware = <E, R>(app: App<E, R>) => App<E, R | HttpServerRequest.HttpServerRequest>

type App<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/** Built once: the handler that it holds ends with the scope. */
export const make = (origin: string): Effect.Effect<Middleware, never, Services.Services | Scope.Scope> =>
  Effect.gen(function* () {
    const handler = yield* WebHandler.make({ baseUrl: `${origin}${path}` })
    // It answers whatever it is asked: that it cannot read a request is a defect of the server.
    const errata = Effect.orDie(HttpEffect.fromWebHandler(handler))

    return <E, R>(app: App<E, R>) =>
      Effect.flatMap(
        HttpServerRequest.HttpServerRequest,
        (request): App<E, R | HttpServerRequest.HttpServerRequest> =>
          request.url === path || request.url.startsWith(`${path}/`) ? errata : app,
      )
  })
