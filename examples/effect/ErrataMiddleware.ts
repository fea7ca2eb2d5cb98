/** Serves Errata below `/errors` and passes all other requests to the application. */
import { WebHandler } from "@errata/http"
import { Effect, type Scope } from "effect"
import { HttpEffect, HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { Services } from "errata/effect"

export const path = "/errors"

/** Keeps the errors and requirements of the application. */
export type Middleware = <E, R>(app: App<E, R>) => App<E, R | HttpServerRequest.HttpServerRequest>

type App<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/** Builds the handler once. It closes with the scope. */
export const make = (origin: string): Effect.Effect<Middleware, never, Services.Services | Scope.Scope> =>
  Effect.gen(function* () {
    const handler = yield* WebHandler.make({ baseUrl: `${origin}${path}` })
    // The handler always responds, so an unreadable request is a defect of the server.
    const errata = Effect.orDie(HttpEffect.fromWebHandler(handler))

    return <E, R>(app: App<E, R>) =>
      Effect.flatMap(
        HttpServerRequest.HttpServerRequest,
        (request): App<E, R | HttpServerRequest.HttpServerRequest> =>
          request.url === path || request.url.startsWith(`${path}/`) ? errata : app,
      )
  })
