/**
 * `POST /mcp`: authenticates the caller, checks the origin and limits the body, which is read only after
 * authentication. The MCP handler interprets it.
 */

import { Problem } from "@errata/api"
import { ErrataConfig, type Services, WebAddress } from "@errata/core"
import { Effect, type Scope } from "effect"
import { HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { baseUrlOf, isOwn } from "../BaseUrl.js"
import type { HttpApp } from "../HttpApp.js"
import type { HttpSettings } from "../HttpOptions.js"
import type { Mcp } from "../McpHandler.js"
import { scopesOf } from "../oauth/OAuthNames.js"
import { ApiKeys } from "./ApiKeys.js"
import * as JsonBody from "./JsonBody.js"
import * as ProblemResponse from "./ProblemResponse.js"

/** True if a URL below the base path belongs to this route. Like the router, ignores extra slashes. */
export const matches = (url: string): boolean => /^\/+mcp\/*(?:$|\?)/.test(url)

export const make = (
  mcp: Mcp,
  settings: HttpSettings,
): Effect.Effect<HttpApp<never, ApiKeys | JsonBody.JsonMemory>, never, Services.Services | Scope.Scope> =>
  Effect.gen(function* () {
    const { serviceName } = yield* ErrataConfig
    const services = yield* Effect.context<Services.Services | Scope.Scope>()
    const handler = yield* Effect.cached(Effect.provide(mcp, services))

    const answer = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      if (request.method === "OPTIONS") return preflight
      const { origin } = request.headers
      if (origin !== undefined && !isAllowed(origin, settings)) {
        return yield* Effect.fail(
          Problem.forbidden("Pages of this origin may not send requests to the server"),
        )
      }
      // The router's error for an existing path becomes 405.
      if (request.method !== "POST")
        return yield* new HttpServerError.HttpServerError({
          reason: new HttpServerError.RouteNotFound({ request }),
        })
      const { authenticate } = yield* ApiKeys
      const known = yield* authenticate(request)
      const wasHere = JsonBody.isHere(request)
      const body = (yield* JsonBody.bytesOf(request)).toString("utf8")
      // The sender may lose access while the body arrives.
      const actor = wasHere ? known : yield* authenticate(request)
      const handle = yield* handler
      const webAddress = yield* WebAddress
      const response = yield* Effect.promise((signal) =>
        handle({
          request: new Request(urlOf(request, settings), {
            method: "POST",
            headers: { ...request.headers },
            signal,
          }),
          body,
          actor,
          resourceMetadataUrl: metadataUrlOf(settings, request),
          webAddress,
        }),
      )
      return HttpServerResponse.fromWeb(response)
    })

    return Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { origin } = request.headers
      const response = yield* ProblemResponse.handle({
        baseUrl: settings.baseUrl,
        allowedMethods: () => ["OPTIONS", "POST"],
      })(answer)
      return HttpServerResponse.setHeaders(response, {
        ...(origin === undefined ? {} : readableBy(origin)),
        ...(response.status === 401 ? { "www-authenticate": challenge(serviceName, settings, request) } : {}),
      })
    })
  })

// internal

/** URL of the metadata of this resource (RFC 9728). Clients only trust it below the URL of the resource. */
const metadataUrlOf = (
  settings: HttpSettings,
  request: HttpServerRequest.HttpServerRequest,
): string | null => {
  const baseUrl = baseUrlOf(settings, request)
  return baseUrl === "" || !isOwn(settings, baseUrl)
    ? null
    : `${baseUrl}/.well-known/oauth-protected-resource/mcp`
}

/** Names both scopes, since some clients cannot request another one later. */
const challenge = (
  serviceName: string,
  settings: HttpSettings,
  request: HttpServerRequest.HttpServerRequest,
): string => {
  const metadataUrl = metadataUrlOf(settings, request)
  const parameters = [
    ...(request.headers["authorization"] === undefined ? [] : ['error="invalid_token"']),
    ...(metadataUrl === null ? [] : [`resource_metadata="${metadataUrl}"`]),
    `scope="${scopesOf(serviceName).join(" ")}"`,
  ]
  return `Bearer ${parameters.join(", ")}`
}

/** The configured URL: a proxy may have changed the path of the request. */
const urlOf = (request: HttpServerRequest.HttpServerRequest, settings: HttpSettings): string =>
  `${settings.baseUrl() === "" ? "http://localhost" : settings.baseUrl()}/mcp${/\?.*$/.exec(request.url)?.[0] ?? ""}`

/**
 * True for origins of the instance, of loopback addresses, and of `corsOrigins`. Others are rejected to prevent DNS
 * rebinding: a page must not reach a server in a local network under the page's own name.
 */
const isAllowed = (origin: string, { baseUrl, corsOrigins }: HttpSettings): boolean => {
  if (corsOrigins.includes("*") || corsOrigins.includes(origin)) return true
  if (!URL.canParse(origin)) return false
  const { hostname, protocol } = new URL(origin)
  if (/^https?:$/.test(protocol) && loopback.has(hostname)) return true
  return URL.canParse(baseUrl()) && new URL(baseUrl()).origin === origin
}

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"])

/** Also sent with rejections, so that pages can read the reason. The response contains nothing secret. */
const readableBy = (origin: string) => ({
  "access-control-allow-origin": origin,
  "access-control-expose-headers": "www-authenticate, retry-after",
  vary: "Origin",
})

const preflight = HttpServerResponse.empty({
  status: 204,
  headers: {
    "access-control-allow-methods": "POST",
    "access-control-allow-headers":
      "authorization, content-type, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, last-event-id",
    "access-control-max-age": "3600",
  },
})
