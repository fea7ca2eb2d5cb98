/** The REST API and the liveness check as one app of the platform, for whatever server there is around it. */

import {
  HttpApiBuilder,
  type HttpApp,
  HttpMiddleware,
  HttpRouter,
  HttpServer,
  HttpServerRequest,
  HttpServerResponse,
} from "@effect/platform"
import { type ErrataApi, makeErrataApi } from "@errata/api"
import { ErrataConfig, type Services } from "@errata/core"
import { Effect, identity, Layer, type Scope } from "effect"
import { type HttpSettings, withoutBasePath } from "../HttpOptions.js"
import * as AllowedMethods from "./AllowedMethods.js"
import * as ApiKeys from "./ApiKeys.js"
import * as GroupHandlers from "./GroupHandlers.js"
import * as ProblemResponse from "./ProblemResponse.js"
import * as ProjectHandlers from "./ProjectHandlers.js"
import * as ReportHandlers from "./ReportHandlers.js"

export const make = (
  settings: HttpSettings,
): Effect.Effect<HttpApp.Default, never, Services.Services | Scope.Scope> =>
  Effect.gen(function* () {
    const { serviceName } = yield* ErrataConfig
    const api = makeErrataApi(serviceName)
    const context = yield* Layer.build(layerOf(api, settings))
    const app = yield* HttpApiBuilder.httpApp.pipe(
      HttpRouter.withRouterConfig({ caseSensitive: true, maxParamLength: 500 }),
      Effect.provide(context),
    )
    return app.pipe(
      Effect.provide(context),
      Effect.map(HttpServerResponse.setHeaders(securityHeaders)),
      settings.corsOrigins.length === 0 ? identity : cors(settings.corsOrigins),
      settings.basePath === "" ? identity : below(settings.basePath),
    )
  })

// internal

const layerOf = (api: ErrataApi, settings: HttpSettings) => {
  const problems = ProblemResponse.handle({
    baseUrl: settings.baseUrl,
    allowedMethods: AllowedMethods.make(api, [{ method: "GET", path: "/up" }]),
  })
  return HttpApiBuilder.api(api).pipe(
    Layer.provide([ProjectHandlers.layer(api), GroupHandlers.layer(api), ReportHandlers.layer(api)]),
    Layer.provide(ApiKeys.layer),
    Layer.merge(HttpApiBuilder.Router.use((router) => router.get("/up", up))),
    Layer.provideMerge(HttpApiBuilder.middleware(problems)),
    Layer.provideMerge(Layer.mergeAll(HttpApiBuilder.Router.Live, HttpApiBuilder.Middleware.layer)),
    Layer.provideMerge(HttpServer.layerContext),
  )
}

/** The process runs and answers; nothing is said about what it depends on. */
const up = HttpServerResponse.text("up")

const securityHeaders = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
}

const cors = (origins: ReadonlyArray<string>) => {
  const any = origins.includes("*")
  return HttpMiddleware.cors({
    // A request of the same origin carries none.
    allowedOrigins: (origin: string | undefined) => origin !== undefined && (any || origins.includes(origin)),
    allowedHeaders: ["authorization", "content-type"],
    exposedHeaders: ["allow", "retry-after"],
    maxAge: 3600,
  })
}

const below =
  (basePath: string) =>
  (app: HttpApp.Default): HttpApp.Default =>
    Effect.updateService(app, HttpServerRequest.HttpServerRequest, (request) =>
      request.modify({ url: withoutBasePath(request.url, basePath) }),
    )
