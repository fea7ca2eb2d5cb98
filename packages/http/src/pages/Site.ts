/** All that is served beside the REST contract: the pages of people, and OAuth. */

import { type Services, StorageOutage } from "@errata/core"
import { Cause, Effect, type Scope } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { isOwn } from "../BaseUrl.js"
import * as BodyMemory from "../BodyMemory.js"
import type { HttpSettings } from "../HttpOptions.js"
import * as Discovery from "../oauth/Discovery.js"
import * as OAuthEndpoints from "../oauth/OAuthEndpoints.js"
import { html } from "../site/Html.js"
import type { SiteError, SiteHandler, SiteServices } from "../site/SiteHandler.js"
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
import { message } from "./Messages.js"
import * as SessionToken from "./SessionToken.js"
import * as SignInPages from "./SignInPages.js"

/** Answers a request that is for a page or for OAuth; null for all others. */
export type Site = (
  request: HttpServerRequest.HttpServerRequest,
) => Effect.Effect<HttpServerResponse.HttpServerResponse> | null

export const make = (settings: HttpSettings): Effect.Effect<Site, never, Services.Services | Scope.Scope> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<SiteServices>()
    const memory = yield* BodyMemory.scoped(maxBodyBytes)
    const routes = routesOf(settings)
    return (request) => {
      const at = request.url.indexOf("?")
      const path = at === -1 ? request.url : request.url.slice(0, at)
      // At its end a slash counts for as little as it does for the router.
      const route = routes.get(path.endsWith("/") ? path.slice(0, -1) : path)
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
  /** Whether pages of other origins may call it: what answers programs, and never goes by a cookie. */
  readonly isOpen?: boolean
  /** It uses the address of the instance as the issuer of tokens. */
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
    ["/sign_in", { GET: SignInPages.show, POST: SignInPages.submit }],
    ["/sign_in/link", { GET: SignInPages.showLink, POST: SignInPages.useLink }],
    ["/sign_out", { POST: SignInPages.signOut }],
    ["/session/token", { POST: SessionToken.exchange }],
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
    // Of an instance below a path clients put that path at the end, as the standards have it.
    ...(basePath === ""
      ? []
      : ([
          [`/.well-known/oauth-authorization-server${basePath}`, server],
          [`/.well-known/oauth-protected-resource${basePath}`, resource],
          [`/.well-known/oauth-protected-resource${basePath}/mcp`, resource],
        ] as const)),
  ])
}

const stylesheet: SiteAnswer = {
  status: 200,
  headers: {
    "content-type": "text/css; charset=utf-8",
    "cache-control": "public, max-age=31536000, immutable",
  },
  body: css,
}

/** Tokens would be of an issuer that the sender of the request has named. */
const foreignHost = (request: SiteRequest, { isOpen = false }: Route): SiteAnswer => {
  const { host } = new URL(request.baseUrl)
  const told = `The host ${host} is not configured. Set ERRATA_BASE_URL (baseUrl inside an application) to the address of this server.`
  return isOpen
    ? OAuthEndpoints.json(400, { error: "invalid_request", error_description: told })
    : message(request, 400, "This address is not configured", html`${told}`)
}

const serve = (route: Route, request: SiteRequest): Effect.Effect<SiteAnswer, never, SiteServices> => {
  const methods = [
    ...(route.GET === undefined ? [] : ["GET", "HEAD"]),
    ...(route.POST === undefined ? [] : ["POST"]),
  ].join(", ")
  if (request.method === "OPTIONS" && route.isOpen) return Effect.succeed(OAuthEndpoints.preflight(methods))
  const handler =
    request.method === "GET" || request.method === "HEAD"
      ? route.GET
      : request.method === "POST"
        ? route.POST
        : undefined
  if (handler === undefined) {
    return Effect.succeed({ status: 405, headers: { allow: methods }, body: "Method Not Allowed" })
  }
  return Effect.catchCause(handler(request), (cause) => failed(request, route, cause))
}

const failed = (
  request: SiteRequest,
  { isOpen = false }: Route,
  cause: Cause.Cause<SiteError>,
): Effect.Effect<SiteAnswer> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
  const failure = Cause.findErrorOption(cause)
  if (failure._tag === "Some") {
    const error = failure.value
    switch (error._tag) {
      case "ForeignForm":
      case "NotAForm":
        return Effect.succeed(
          message(
            request,
            403,
            "The form was rejected",
            html`The form expired, or your browser does not accept cookies. Open ${request.baseUrl} again and send the form from there.`,
          ),
        )
      case "BodyRejected":
        return Effect.succeed(
          error.reason === "too_large"
            ? message(
                request,
                413,
                "The form is too large",
                html`The server rejected the form because of its size.`,
              )
            : message(request, 400, "The form did not arrive completely", html`Send it again.`),
        )
      case "NoAccount":
        return Effect.succeed(
          message(
            request,
            403,
            "You have no account here",
            html`You are signed in as ${error.emailAddress}, but Errata has no active user with this email address. Ask an admin to create one.`,
          ),
        )
      case "AccessDenied":
        return Effect.succeed(
          message(request, 403, "Not allowed", html`You are not allowed to do this (${error.rule}).`),
        )
      case "StorageError":
        if (error.reason !== "rejected") return unavailable(request, isOpen, cause)
    }
  }
  return Effect.as(
    Effect.logError("Request failed", cause).pipe(Effect.annotateLogs({ path: request.path })),
    isOpen
      ? OAuthEndpoints.json(500, { error: "server_error" })
      : message(
          request,
          500,
          "The request failed",
          html`This is an error in Errata. The server's log has the details.`,
        ),
  )
}

const unavailable = (request: SiteRequest, isOpen: boolean, cause: Cause.Cause<unknown>) =>
  Effect.as(
    Effect.flatMap(StorageOutage.StorageOutage, (outage) =>
      outage.logFailure("The storage is unavailable", cause),
    ),
    isOpen
      ? OAuthEndpoints.json(503, { error: "temporarily_unavailable" }, { "retry-after": "5" })
      : message(
          request,
          503,
          "Temporarily unavailable",
          html`The database is unreachable. Try again later.`,
          { "retry-after": "5" },
        ),
  )
