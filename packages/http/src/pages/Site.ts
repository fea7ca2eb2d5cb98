/** Serves everything besides the REST API: pages and OAuth. */

import { ErrataConfig, type Services } from "@errata/core"
import { Effect, type Scope } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { isOwn } from "../BaseUrl.js"
import * as BodyMemory from "../BodyMemory.js"
import * as DashboardFiles from "../dashboard/DashboardFiles.js"
import type { HttpSettings } from "../HttpOptions.js"
import * as Discovery from "../oauth/Discovery.js"
import * as OAuthEndpoints from "../oauth/OAuthEndpoints.js"
import { html } from "../site/Html.js"
import { redirect } from "../site/Layout.js"
import { visitorOf } from "../site/PeopleIdentity.js"
import type { SiteHandler, SiteServices } from "../site/SiteHandler.js"
import {
  fromPlatform,
  maxBodyBytes,
  type SiteAnswer,
  type SiteRequest,
  toPlatform,
} from "../site/SiteRequest.js"
import { css, stylesheetPath } from "../site/Stylesheet.js"
import * as AccountPages from "./AccountPages.js"
import * as ConsentPages from "./ConsentPages.js"
import * as ForgottenPasswordPages from "./ForgottenPasswordPages.js"
import { message } from "./Messages.js"
import * as SessionToken from "./SessionToken.js"
import * as SignInPages from "./SignInPages.js"
import { toSignIn } from "./SignInPages.js"
import { failed, type Reader } from "./SiteFailures.js"
import * as UnsubscribePages from "./UnsubscribePages.js"

/** Handles a request for a page or for OAuth. Returns null for others. */
export type Site = (
  request: HttpServerRequest.HttpServerRequest,
) => Effect.Effect<HttpServerResponse.HttpServerResponse> | null

export const make = (settings: HttpSettings): Effect.Effect<Site, never, Services.Services | Scope.Scope> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<SiteServices>()
    const memory = yield* BodyMemory.scoped(maxBodyBytes)
    const routes = routesOf(settings)
    const { serviceName } = yield* ErrataConfig
    const files =
      settings.dashboard === null
        ? null
        : DashboardFiles.make({ ...settings, dashboard: settings.dashboard, serviceName })
    return (request) => {
      const path = request.url.split("?", 1)[0]!
      const file = files?.(request, path) ?? null
      if (file !== null) return Effect.succeed(file)
      // A trailing slash is ignored, as by the router.
      const whole = path.endsWith("/") ? path.slice(0, -1) : path
      const route = routes.get(whole) ?? unsubscribeRoute(whole)
      if (route === undefined) return null
      const site = fromPlatform(request, settings, memory)
      const isForeign = route.isIssuing === true && !isOwn(settings, site.baseUrl)
      return (isForeign ? Effect.succeed(foreignHost(site, route)) : serve(route, site)).pipe(
        Effect.map(toPlatform),
        Effect.provide(context),
      )
    }
  })

// internal

interface Route {
  readonly GET?: SiteHandler
  readonly POST?: SiteHandler
  readonly DELETE?: SiteHandler
  /** True if pages of other origins may call it. Such routes are for programs and never use a cookie. */
  readonly isOpen?: boolean
  /** For scripts of our own pages, which expect problem documents. */
  readonly isForScripts?: boolean
  /** True if the route uses the base URL as the issuer of tokens. */
  readonly isIssuing?: boolean
}

const routesOf = (settings: HttpSettings): ReadonlyMap<string, Route> => {
  const authorize: Route = {
    GET: (request) => ConsentPages.show(request, settings),
    POST: (request) => ConsentPages.decide(request, settings),
    isIssuing: true,
  }
  const token: Route = { POST: OAuthEndpoints.token, isOpen: true, isIssuing: true }
  const register: Route = { POST: OAuthEndpoints.register, isOpen: true, isIssuing: true }
  const server: Route = {
    GET: (request) => Discovery.authorizationServer(request, settings),
    isOpen: true,
    isIssuing: true,
  }
  const resource: Route = { GET: Discovery.protectedResource, isOpen: true, isIssuing: true }
  const { basePath } = settings
  return new Map<string, Route>([
    ...(settings.dashboard === null ? [] : ([["", { GET: home }]] as const)),
    ["/sign_in", { GET: SignInPages.show, POST: SignInPages.submit }],
    ["/sign_in/link", { GET: SignInPages.showLink, POST: SignInPages.useLink }],
    ["/forgot_password", { GET: ForgottenPasswordPages.show, POST: ForgottenPasswordPages.submit }],
    ["/sign_out", { POST: SignInPages.signOut }],
    ["/session", { DELETE: SessionToken.end, isForScripts: true }],
    ["/session/token", { POST: SessionToken.exchange, isForScripts: true }],
    ["/account", { GET: AccountPages.show }],
    ["/account/api_key", { POST: AccountPages.rotateApiKey }],
    ["/account/password", { POST: AccountPages.setPassword }],
    ["/account/sessions/end", { POST: AccountPages.endSession }],
    ["/account/apps/revoke", { POST: AccountPages.disconnect }],
    [stylesheetPath, { GET: () => Effect.succeed(stylesheet) }],
    ["/oauth/authorize", authorize],
    ["/authorize", authorize],
    ["/oauth/token", token],
    ["/token", token],
    ["/oauth/register", register],
    ["/register", register],
    ["/oauth/revoke", { POST: OAuthEndpoints.revoke, isOpen: true }],
    ["/.well-known/oauth-authorization-server", server],
    ["/.well-known/oauth-protected-resource", resource],
    ["/.well-known/oauth-protected-resource/mcp", resource],
    ["/.well-known/mcp.json", { GET: Discovery.mcp, isOpen: true, isIssuing: true }],
    // If the instance has a base path, clients append it, as the standards say.
    ...(basePath === ""
      ? []
      : ([
          [`/.well-known/oauth-authorization-server${basePath}`, server],
          [`/.well-known/oauth-protected-resource${basePath}`, resource],
          [`/.well-known/oauth-protected-resource${basePath}/mcp`, resource],
        ] as const)),
  ])
}

/** The only page with a parameter in its path. */
const unsubscribeRoute = (path: string): Route | undefined => {
  const token = UnsubscribePages.tokenOf(path)
  return token === null
    ? undefined
    : {
        GET: (request) => UnsubscribePages.show(request, token),
        POST: (request) => UnsubscribePages.submit(request, token),
      }
}

const stylesheet: SiteAnswer = {
  status: 200,
  headers: {
    "content-type": "text/css; charset=utf-8",
    "cache-control": "public, max-age=31536000, immutable",
  },
  body: css,
}

/** The home page. Redirects to the dashboard if there is one, after sign-in. */
const home: SiteHandler = (request) =>
  Effect.flatMap(visitorOf(request), (visitor) =>
    visitor === null
      ? toSignIn(request, request.landing)
      : Effect.succeed(redirect(request, request.landing)),
  )

/** Otherwise the sender of the request would choose the issuer of tokens. */
const foreignHost = (request: SiteRequest, { isOpen = false }: Route): SiteAnswer => {
  const { host } = new URL(request.baseUrl)
  const detail = `The host ${host} is not configured. Set ERRATA_BASE_URL (baseUrl inside an application) to the address of this server.`
  return isOpen
    ? OAuthEndpoints.json(400, { error: "invalid_request", error_description: detail })
    : message(request, 400, "This address is not configured", html`${detail}`)
}

const serve = (route: Route, request: SiteRequest): Effect.Effect<SiteAnswer, never, SiteServices> => {
  const methods = [
    ...(route.GET === undefined ? [] : ["GET", "HEAD"]),
    ...(route.POST === undefined ? [] : ["POST"]),
    ...(route.DELETE === undefined ? [] : ["DELETE"]),
  ].join(", ")
  if (request.method === "OPTIONS" && route.isOpen) return Effect.succeed(OAuthEndpoints.preflight(methods))
  const method = request.method === "HEAD" ? "GET" : request.method
  const handler = isMethod(method) ? route[method] : undefined
  if (handler === undefined) {
    return Effect.succeed({ status: 405, headers: { allow: methods }, body: "Method Not Allowed" })
  }
  return Effect.catchCause(handler(request), (cause) => failed(request, readerOf(route), cause))
}

const readerOf = ({ isForScripts, isOpen }: Route): Reader =>
  isForScripts ? "script" : isOpen ? "client" : "person"

const isMethod = (method: string): method is "GET" | "POST" | "DELETE" =>
  method === "GET" || method === "POST" || method === "DELETE"
