/** The REST API alone: its routes, and the answers to its failures. */
import { isServiceName } from "@errata/api"
import { ErrataConfig, type Services, WebAddress } from "@errata/core"
import { Context, Effect, Layer, type Scope } from "effect"
import { HttpRouter, HttpServer, HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { requestBaseUrl } from "../BaseUrl.js"
import type { HttpApp } from "../HttpApp.js"
import { type HttpSettings, withoutBasePath } from "../HttpOptions.js"
import * as ActivityHandlers from "./ActivityHandlers.js"
import * as AlertRuleHandlers from "./AlertRuleHandlers.js"
import * as AllowedMethods from "./AllowedMethods.js"
import * as ApiKeys from "./ApiKeys.js"
import * as AppHandlers from "./AppHandlers.js"
import * as ArtifactHandlers from "./ArtifactHandlers.js"
import * as AssigneeHandlers from "./AssigneeHandlers.js"
import * as DeadLetterHandlers from "./DeadLetterHandlers.js"
import * as DeliveryHandlers from "./DeliveryHandlers.js"
import * as GroupHandlers from "./GroupHandlers.js"
import * as HealthHandlers from "./HealthHandlers.js"
import * as JsonBody from "./JsonBody.js"
import * as MeHandlers from "./MeHandlers.js"
import * as MemberHandlers from "./MemberHandlers.js"
import * as MergeHandlers from "./MergeHandlers.js"
import * as NoteHandlers from "./NoteHandlers.js"
import * as NotificationHandlers from "./NotificationHandlers.js"
import * as PeopleHandlers from "./PeopleHandlers.js"
import * as PolicyHandlers from "./PolicyHandlers.js"
import * as ProblemResponse from "./ProblemResponse.js"
import * as ProjectHandlers from "./ProjectHandlers.js"
import * as ReleaseHandlers from "./ReleaseHandlers.js"
import * as ReportHandlers from "./ReportHandlers.js"
import * as RetentionHandlers from "./RetentionHandlers.js"
import * as ServedApi from "./ServedApi.js"
import * as SourcemapOriginHandlers from "./SourcemapOriginHandlers.js"
import * as TagHandlers from "./TagHandlers.js"
import * as TargetHandlers from "./TargetHandlers.js"
import * as UserHandlers from "./UserHandlers.js"
import * as WebhookHandlers from "./WebhookHandlers.js"

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

/** Answers the routes. `others` are the paths of routes that were added. */
export const answer = (
  { api, context }: ApiApp,
  settings: HttpSettings,
  others: ReadonlyArray<string> = [],
): HttpApp<never> =>
  problemsOf(api, settings, others)(Context.get(context, HttpRouter.HttpRouter).asHttpEffect())

/** Takes the base path off requests. */
export const below =
  (basePath: string) =>
  (app: HttpApp): HttpApp =>
    Effect.updateService(app, HttpServerRequest.HttpServerRequest, (request) =>
      request.modify({ url: withoutBasePath(request.url, basePath) }),
    )

/** Links in answers lead to the address that their request came under. */
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
      TargetHandlers.layer(api),
      AlertRuleHandlers.layer(api),
      AlertRuleHandlers.layerDefault(api),
      NotificationHandlers.layer(api),
      NotificationHandlers.layerMailSettings(api),
      NotificationHandlers.layerPausedAddresses(api),
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
