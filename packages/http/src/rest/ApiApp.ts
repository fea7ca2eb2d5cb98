/** The REST API: its routes, and the responses to its failures. */
import { isServiceName } from "@errata/api"
import { ErrataConfig, type Services, WebAddress } from "@errata/core"
import { Context, Effect, Layer, type Scope } from "effect"
import { HttpRouter, HttpServer, HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { requestBaseUrl } from "../BaseUrl.js"
import type { HttpApp } from "../HttpApp.js"
import { type HttpSettings, withoutBasePath } from "../HttpOptions.js"
import * as AllowedMethods from "./AllowedMethods.js"
import * as ApiKeys from "./ApiKeys.js"
import { RequestBodies } from "./AuthorizedBody.js"
import { handlers } from "./Handlers.js"
import * as JsonBody from "./JsonBody.js"
import * as ProblemResponse from "./ProblemResponse.js"
import * as ServedApi from "./ServedApi.js"

/** Its routes, to which others can be added, and the services that they share. */
export interface ApiApp {
  readonly api: ServedApi.ServedApi
  readonly context: Context.Context<Layer.Success<ReturnType<typeof layerOf>>>
}

export const make = (settings: HttpSettings): Effect.Effect<ApiApp, never, Services.Services | Scope.Scope> =>
  Effect.gen(function* () {
    const { serviceName } = yield* ErrataConfig
    if (!isServiceName(serviceName)) return yield* Effect.die(new Error(badServiceName(serviceName)))
    // Relative to the document: proxies may know the instance under other names.
    const servers = [{ url: settings.basePath === "" ? "/" : settings.basePath }]
    const api = ServedApi.make(serviceName, servers)
    return { api, context: yield* Layer.build(layerOf(api, settings, problemsOf(api, settings, []))) }
  })

/** Handles requests. `others` are the paths of additional routes. */
export const answer = (
  { api, context }: ApiApp,
  settings: HttpSettings,
  others: ReadonlyArray<string> = [],
): HttpApp<never> =>
  problemsOf(api, settings, others)(Context.get(context, HttpRouter.HttpRouter).asHttpEffect())

/** Removes the base path from requests. */
export const below =
  (basePath: string) =>
  (app: HttpApp): HttpApp =>
    Effect.updateService(app, HttpServerRequest.HttpServerRequest, (request) =>
      request.modify({ url: withoutBasePath(request.url, basePath) }),
    )

/** Links in responses use the URL that the request was sent to. */
export const addressed =
  (settings: HttpSettings) =>
  (app: HttpApp): HttpApp =>
    Effect.flatMap(requestBaseUrl(settings), (address) => Effect.provideService(app, WebAddress, address))

// internal

const badServiceName = (text: string): string =>
  `serviceName must consist of letters, digits, dots, hyphens and underscores, not ${JSON.stringify(text)}`

type Problems = ReturnType<typeof ProblemResponse.handle>

const problemsOf = (
  api: ServedApi.ServedApi,
  settings: HttpSettings,
  others: ReadonlyArray<string>,
): Problems =>
  ProblemResponse.handle({
    baseUrl: settings.baseUrl,
    allowedMethods: AllowedMethods.make(
      api,
      others.map((path) => ({ method: "GET", path })),
    ),
  })

const layerOf = (api: ServedApi.ServedApi, settings: HttpSettings, problems: Problems) =>
  HttpApiBuilder.layer(api).pipe(
    Layer.provide([
      HttpApiBuilder.group(api, "me", handlers.me),
      HttpApiBuilder.group(api, "projects", handlers.projects),
      HttpApiBuilder.group(api, "groups", handlers.groups),
      HttpApiBuilder.group(api, "activity", handlers.activity),
      HttpApiBuilder.group(api, "merges", handlers.merges),
      HttpApiBuilder.group(api, "tags", handlers.tags),
      HttpApiBuilder.group(api, "notes", handlers.notes),
      HttpApiBuilder.group(api, "assignees", handlers.assignees),
      HttpApiBuilder.group(api, "people", handlers.people),
      HttpApiBuilder.group(api, "members", handlers.members),
      HttpApiBuilder.group(api, "sourcemapOrigins", handlers.sourcemapOrigins),
      HttpApiBuilder.group(api, "users", handlers.users),
      HttpApiBuilder.group(api, "webhooks", handlers.webhooks),
      HttpApiBuilder.group(api, "deliveries", handlers.deliveries),
      HttpApiBuilder.group(api, "targets", handlers.targets),
      HttpApiBuilder.group(api, "alertRules", handlers.alertRules),
      HttpApiBuilder.group(api, "defaultAlertRules", handlers.defaultAlertRules),
      HttpApiBuilder.group(api, "notifications", handlers.notifications),
      HttpApiBuilder.group(api, "mailSettings", handlers.mailSettings),
      HttpApiBuilder.group(api, "pausedAddresses", handlers.pausedAddresses),
      HttpApiBuilder.group(api, "apps", handlers.apps),
      HttpApiBuilder.group(api, "policies", handlers.policies),
      HttpApiBuilder.group(api, "retention", handlers.retention),
      HttpApiBuilder.group(api, "deadLetters", handlers.deadLetters),
      HttpApiBuilder.group(api, "health", handlers.health),
      HttpApiBuilder.group(api, "releases", handlers.releases),
      HttpApiBuilder.group(api, "artifacts", handlers.artifacts),
      HttpApiBuilder.group(api, "reports", handlers.reports),
    ]),
    Layer.provide(Layer.succeed(ServedApi.ProblemAnswers, problems)),
    HttpRouter.provideRequest(bodyServices),
    Layer.provideMerge(
      JsonBody.layer.pipe(
        Layer.provideMerge(Layer.merge(ApiKeys.layerOf(settings), JsonBody.JsonMemory.layer)),
      ),
    ),
    Layer.provideMerge(routerLayer),
    Layer.provide(HttpServer.layerServices),
  )

/** The services of handlers that read bodies: those of the whole app. */
const bodyServices = Layer.effectContext(
  Effect.map(Effect.context<RequestBodies>(), Context.pick(RequestBodies)),
)

const routerLayer = Layer.fresh(HttpRouter.layer).pipe(
  Layer.provide(Layer.succeed(HttpRouter.RouterConfig, { caseSensitive: true, maxParamLength: 500 })),
)
