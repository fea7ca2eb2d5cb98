/** The REST API and the pages as one app of the platform, for whatever server there is around it. */

import { type HttpEffect, HttpMiddleware, HttpRouter, HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder, OpenApi } from "effect/http-api"
import { type ErrataApi, isServiceName, makeErrataApi } from "@errata/api"
import { ErrataConfig, type Services } from "@errata/core"
import { Effect, Layer, type Scope, identity } from "effect"
import { type HttpSettings, withoutBasePath } from "../HttpOptions.js"
import * as Probes from "../Probes.js"
import * as Site from "../pages/Site.js"
import * as UploadApp from "../upload/UploadApp.js"
import * as AllowedMethods from "./AllowedMethods.js"
import * as ApiKeys from "./ApiKeys.js"
import * as AppHandlers from "./AppHandlers.js"
import * as ArtifactHandlers from "./ArtifactHandlers.js"
import * as AssigneeHandlers from "./AssigneeHandlers.js"
import * as DeliveryHandlers from "./DeliveryHandlers.js"
import * as Documentation from "./Documentation.js"
import * as GroupHandlers from "./GroupHandlers.js"
import * as HealthHandlers from "./HealthHandlers.js"
import * as JsonBody from "./JsonBody.js"
import * as McpRoute from "./McpRoute.js"
import * as MemberHandlers from "./MemberHandlers.js"
import * as MergeHandlers from "./MergeHandlers.js"
import * as NoteHandlers from "./NoteHandlers.js"
import * as PayloadHandlers from "./PayloadHandlers.js"
import * as PolicyHandlers from "./PolicyHandlers.js"
import * as ProblemResponse from "./ProblemResponse.js"
import * as ProjectHandlers from "./ProjectHandlers.js"
import * as Pages from "./pages/Pages.js"
import * as ReleaseHandlers from "./ReleaseHandlers.js"
import * as ReportHandlers from "./ReportHandlers.js"
import * as RetentionHandlers from "./RetentionHandlers.js"
import * as SourcemapOriginHandlers from "./SourcemapOriginHandlers.js"
import * as UserHandlers from "./UserHandlers.js"
import * as WebhookHandlers from "./WebhookHandlers.js"

export const make = (
  settings: HttpSettings,
): Effect.Effect<HttpEffect.Default, never, Services.Services | Scope.Scope> =>
  Effect.gen(function* () {
    const { serviceName } = yield* ErrataConfig
    if (!isServiceName(serviceName)) return yield* Effect.die(new Error(badServiceName(serviceName)))
    // Relative to the document: proxies may know the instance under other names.
    const servers = [{ url: settings.basePath === "" ? "/" : settings.basePath }]
    const api = makeErrataApi(serviceName).annotate(OpenApi.Servers, servers)
    const context = yield* Layer.build(layerOf(api, serviceName, settings))
    const app = yield* HttpApiBuilder.httpApp.pipe(
      HttpRouter.withRouterConfig({ caseSensitive: true, maxParamLength: 500 }),
      Effect.provide(context),
    )
    const site = yield* Site.make(settings)
    const rest = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => site(request) ?? app).pipe(
      Effect.map(secured),
      settings.corsOrigins.length === 0 ? identity : cors(settings.corsOrigins),
    )
    // It has its own rules about who may call it from where.
    const mcp = settings.mcp === null ? null : yield* McpRoute.make(settings.mcp, settings)
    const others = (mcp === null ? rest : either(McpRoute.matches, Effect.map(mcp, secured), rest)).pipe(
      Effect.provide(context),
      settings.basePath === "" ? identity : below(settings.basePath),
      whole,
    )
    // Build tools look for it at the root of the host, wherever the base path leads.
    const upload = yield* UploadApp.make(settings)
    return either((url) => UploadApp.matches(url, settings), upload, others)
  })

// internal

const badServiceName = (text: string): string =>
  `serviceName must consist of letters, digits, dots, hyphens and underscores, not ${JSON.stringify(text)}`

const layerOf = (api: ErrataApi, serviceName: string, settings: HttpSettings) => {
  const pages = Pages.of(settings.basePath, serviceName)
  const others = [
    ...Probes.pathsOf(settings),
    ...Object.values(Documentation.paths(serviceName)),
    ...pages.map(({ path }) => path),
  ]
  const problems = ProblemResponse.handle({
    baseUrl: settings.baseUrl,
    allowedMethods: AllowedMethods.make(
      api,
      others.map((path) => ({ method: "GET", path })),
    ),
  })
  return HttpApiBuilder.api(api).pipe(
    Layer.provide([
      ProjectHandlers.layer(api),
      GroupHandlers.layer(api),
      MergeHandlers.layer(api),
      NoteHandlers.layer(api),
      AssigneeHandlers.layer(api),
      MemberHandlers.layer(api),
      SourcemapOriginHandlers.layer(api),
      UserHandlers.layer(api, settings),
      WebhookHandlers.layer(api),
      DeliveryHandlers.layer(api),
      AppHandlers.layer(api),
      PolicyHandlers.layer(api),
      RetentionHandlers.layer(api),
      PayloadHandlers.layer(api),
      HealthHandlers.layer(api),
      ReleaseHandlers.layer(api),
      ArtifactHandlers.layer(api),
      ReportHandlers.layer(api),
    ]),
    Layer.provideMerge(Layer.merge(ApiKeys.layerOf(settings), JsonBody.JsonMemory.layer)),
    Layer.merge(Documentation.layer(api, serviceName)),
    Layer.merge(Pages.layer(pages)),
    Layer.provideMerge(HttpApiBuilder.middleware(problems)),
    Layer.provideMerge(Layer.mergeAll(HttpApiBuilder.Router.Live, HttpApiBuilder.Middleware.layer)),
    Layer.provideMerge(HttpServer.layerContext),
  )
}

const securityHeaders = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
}

/** What a page says of itself stays. */
const secured = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.setHeaders(response, { ...securityHeaders, ...response.headers })

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

const either = <R1, R2>(
  matches: (url: string) => boolean,
  one: HttpEffect.Default<never, R1>,
  other: HttpEffect.Default<never, R2>,
): HttpEffect.Default<never, R1 | R2> =>
  Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    ({ url }): HttpEffect.Default<never, R1 | R2> => (matches(url) ? one : other),
  )

const below =
  (basePath: string) =>
  (app: HttpEffect.Default): HttpEffect.Default =>
    Effect.updateService(app, HttpServerRequest.HttpServerRequest, (request) =>
      request.modify({ url: withoutBasePath(request.url, basePath) }),
    )

/** To the router a path ends at a semicolon, and whoever guards an instance by paths would see another than it does. */
const whole = (app: HttpEffect.Default): HttpEffect.Default =>
  Effect.updateService(app, HttpServerRequest.HttpServerRequest, (request) =>
    /^[^?]*[;#]/.test(request.url)
      ? request.modify({
          url: request.url.replace(/^[^?]*/, (path) => path.replace(/[;#]/g, encodeURIComponent)),
        })
      : request,
  )
