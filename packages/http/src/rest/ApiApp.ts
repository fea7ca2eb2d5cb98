/** The REST API: its routes, and the responses to its failures. */
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
import { RequestBodies } from "./AuthorizedBody.js"
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
      HttpApiBuilder.group(api, "me", MeHandlers.make),
      HttpApiBuilder.group(api, "projects", ProjectHandlers.make),
      HttpApiBuilder.group(api, "groups", GroupHandlers.make),
      HttpApiBuilder.group(api, "activity", ActivityHandlers.make),
      HttpApiBuilder.group(api, "merges", MergeHandlers.make),
      HttpApiBuilder.group(api, "tags", TagHandlers.make),
      HttpApiBuilder.group(api, "notes", NoteHandlers.make),
      HttpApiBuilder.group(api, "assignees", AssigneeHandlers.make),
      HttpApiBuilder.group(api, "people", PeopleHandlers.make),
      HttpApiBuilder.group(api, "members", MemberHandlers.make),
      HttpApiBuilder.group(api, "sourcemapOrigins", SourcemapOriginHandlers.make),
      HttpApiBuilder.group(api, "users", UserHandlers.make),
      HttpApiBuilder.group(api, "webhooks", WebhookHandlers.make),
      HttpApiBuilder.group(api, "deliveries", DeliveryHandlers.make),
      HttpApiBuilder.group(api, "targets", TargetHandlers.make),
      HttpApiBuilder.group(api, "alertRules", AlertRuleHandlers.make),
      HttpApiBuilder.group(api, "defaultAlertRules", AlertRuleHandlers.makeDefault),
      HttpApiBuilder.group(api, "notifications", NotificationHandlers.make),
      HttpApiBuilder.group(api, "mailSettings", NotificationHandlers.makeMailSettings),
      HttpApiBuilder.group(api, "pausedAddresses", NotificationHandlers.makePausedAddresses),
      HttpApiBuilder.group(api, "apps", AppHandlers.make),
      HttpApiBuilder.group(api, "policies", PolicyHandlers.make),
      HttpApiBuilder.group(api, "retention", RetentionHandlers.make),
      HttpApiBuilder.group(api, "deadLetters", DeadLetterHandlers.make),
      HttpApiBuilder.group(api, "health", HealthHandlers.make),
      HttpApiBuilder.group(api, "releases", ReleaseHandlers.make),
      HttpApiBuilder.group(api, "artifacts", ArtifactHandlers.make),
      HttpApiBuilder.group(api, "reports", ReportHandlers.make),
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
