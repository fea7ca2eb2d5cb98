/** The REST API and the pages as one app of the platform, for whatever server there is around it. */

import { isServiceName } from "@errata/api"
import { ErrataConfig, type Services, WebAddress } from "@errata/core"
import { Context, Effect, identity, Layer, type Scope } from "effect"
import { HttpMiddleware, HttpRouter, HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { requestBaseUrl } from "../BaseUrl.js"
import type { HttpApp } from "../HttpApp.js"
import { type HttpSettings, withoutBasePath } from "../HttpOptions.js"
import * as Probes from "../Probes.js"
import * as Site from "../pages/Site.js"
import * as UploadApp from "../upload/UploadApp.js"
import * as ActivityHandlers from "./ActivityHandlers.js"
import * as AllowedMethods from "./AllowedMethods.js"
import * as ApiKeys from "./ApiKeys.js"
import * as AppHandlers from "./AppHandlers.js"
import * as ArtifactHandlers from "./ArtifactHandlers.js"
import * as AssigneeHandlers from "./AssigneeHandlers.js"
import * as DeadLetterHandlers from "./DeadLetterHandlers.js"
import * as DeliveryHandlers from "./DeliveryHandlers.js"
import * as Documentation from "./Documentation.js"
import * as GroupHandlers from "./GroupHandlers.js"
import * as HealthHandlers from "./HealthHandlers.js"
import * as JsonBody from "./JsonBody.js"
import * as McpRoute from "./McpRoute.js"
import * as MeHandlers from "./MeHandlers.js"
import * as MemberHandlers from "./MemberHandlers.js"
import * as MergeHandlers from "./MergeHandlers.js"
import * as NoteHandlers from "./NoteHandlers.js"
import * as PeopleHandlers from "./PeopleHandlers.js"
import * as PolicyHandlers from "./PolicyHandlers.js"
import * as ProblemResponse from "./ProblemResponse.js"
import * as ProjectHandlers from "./ProjectHandlers.js"
import * as Pages from "./pages/Pages.js"
import * as ReleaseHandlers from "./ReleaseHandlers.js"
import * as ReportHandlers from "./ReportHandlers.js"
import * as RetentionHandlers from "./RetentionHandlers.js"
import * as ServedApi from "./ServedApi.js"
import * as SourcemapOriginHandlers from "./SourcemapOriginHandlers.js"
import * as TagHandlers from "./TagHandlers.js"
import * as UserHandlers from "./UserHandlers.js"
import * as WebhookHandlers from "./WebhookHandlers.js"

export const make = (
  settings: HttpSettings,
): Effect.Effect<HttpApp, never, Services.Services | Scope.Scope> =>
  Effect.gen(function* () {
    const { serviceName } = yield* ErrataConfig
    if (!isServiceName(serviceName)) return yield* Effect.die(new Error(badServiceName(serviceName)))
    // Relative to the document: proxies may know the instance under other names.
    const servers = [{ url: settings.basePath === "" ? "/" : settings.basePath }]
    const api = ServedApi.make(serviceName, servers)
    const problems = problemsOf(api, serviceName, settings)
    const context = yield* Layer.build(layerOf(api, serviceName, settings, problems))
    const app = problems(Context.get(context, HttpRouter.HttpRouter).asHttpEffect())
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
      addressed(settings),
    )
    // Build tools look for it at the root of the host, wherever the base path leads.
    const upload = yield* UploadApp.make(settings)
    return either((url) => UploadApp.matches(url, settings), upload, others)
  })

// internal

const badServiceName = (text: string): string =>
  `serviceName must consist of letters, digits, dots, hyphens and underscores, not ${JSON.stringify(text)}`

type Problems = ReturnType<typeof ProblemResponse.handle>

const problemsOf = (api: ServedApi.ServedApi, serviceName: string, settings: HttpSettings): Problems => {
  const others = [
    ...Probes.pathsOf(settings),
    ...Object.values(Documentation.paths(serviceName)),
    ...Pages.of(settings.basePath, serviceName).map(({ path }) => path),
  ]
  return ProblemResponse.handle({
    baseUrl: settings.baseUrl,
    allowedMethods: AllowedMethods.make(
      api,
      others.map((path) => ({ method: "GET", path })),
    ),
  })
}

const layerOf = (api: ServedApi.ServedApi, serviceName: string, settings: HttpSettings, problems: Problems) =>
  HttpApiBuilder.layer(api).pipe(
    Layer.provide([
      MeHandlers.layer(api),
      ProjectHandlers.layer(api),
      GroupHandlers.layer(api),
      ActivityHandlers.layer(api),
      MergeHandlers.layer(api),
      TagHandlers.layer(api),
      NoteHandlers.layer(api),
      AssigneeHandlers.layer(api),
      PeopleHandlers.layer(api),
      MemberHandlers.layer(api),
      SourcemapOriginHandlers.layer(api),
      UserHandlers.layer(api, settings),
      WebhookHandlers.layer(api),
      DeliveryHandlers.layer(api),
      AppHandlers.layer(api),
      PolicyHandlers.layer(api),
      RetentionHandlers.layer(api),
      DeadLetterHandlers.layer(api),
      HealthHandlers.layer(api),
      ReleaseHandlers.layer(api),
      ArtifactHandlers.layer(api),
      ReportHandlers.layer(api),
    ]),
    Layer.provide(Layer.succeed(ServedApi.ProblemAnswers, problems)),
    HttpRouter.provideRequest(bodyServices),
    Layer.provideMerge(Layer.merge(ApiKeys.layerOf(settings), JsonBody.JsonMemory.layer)),
    Layer.merge(Documentation.layer(api, serviceName)),
    Layer.merge(Pages.layer(Pages.of(settings.basePath, serviceName))),
    Layer.provideMerge(routerLayer),
    Layer.provide(HttpServer.layerServices),
  )

/** The services of handlers that read bodies: those of the whole app. */
const bodyServices = Layer.effectContext(
  Effect.map(
    Effect.context<ApiKeys.ApiKeys | JsonBody.JsonMemory>(),
    Context.pick(ApiKeys.ApiKeys, JsonBody.JsonMemory),
  ),
)

const routerLayer = Layer.fresh(HttpRouter.layer).pipe(
  Layer.provide(Layer.succeed(HttpRouter.RouterConfig, { caseSensitive: true, maxParamLength: 500 })),
)

const securityHeaders = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
}

/** What a page says of itself stays. Old browsers know `X-Frame-Options` alone, which cannot name sites. */
const secured = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse => {
  const headers = { ...securityHeaders, ...response.headers }
  const isFramed = !headers["content-security-policy"].includes("frame-ancestors 'none'")
  return HttpServerResponse.setHeaders(
    response,
    isFramed ? headers : { ...headers, "x-frame-options": "DENY" },
  )
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

const either = <R1, R2>(
  matches: (url: string) => boolean,
  one: HttpApp<never, R1>,
  other: HttpApp<never, R2>,
): HttpApp<never, R1 | R2> =>
  Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    ({ url }): HttpApp<never, R1 | R2> => (matches(url) ? one : other),
  )

const below =
  (basePath: string) =>
  (app: HttpApp): HttpApp =>
    Effect.updateService(app, HttpServerRequest.HttpServerRequest, (request) =>
      request.modify({ url: withoutBasePath(request.url, basePath) }),
    )

/** Links in answers lead to the address that their request came under. */
const addressed =
  (settings: HttpSettings) =>
  (app: HttpApp): HttpApp =>
    Effect.flatMap(requestBaseUrl(settings), (address) => Effect.provideService(app, WebAddress, address))

/** To the router a path ends at a semicolon, and whoever guards an instance by paths would see another than it does. */
const whole = (app: HttpApp): HttpApp =>
  Effect.updateService(app, HttpServerRequest.HttpServerRequest, (request) =>
    /^[^?]*[;#]/.test(request.url)
      ? request.modify({
          url: request.url.replace(/^[^?]*/, (path) => path.replace(/[;#]/g, encodeURIComponent)),
        })
      : request,
  )
