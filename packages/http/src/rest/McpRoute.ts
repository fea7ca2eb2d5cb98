/**
 * `POST /mcp`: who calls, from where, with how much. Nothing of a body is read before its sender is known; what is in it is
 * for the handler that was plugged in.
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

/** Whether a URL below the base path is this route's. Slashes count for as little as they do for the router. */
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
      // The path is right: what is wrong is the method.
      if (request.method !== "POST")
        return yield* new HttpServerError.HttpServerError({
          reason: new HttpServerError.RouteNotFound({ request }),
        })
      const { authenticate } = yield* ApiKeys
      const known = yield* authenticate(request)
      const wasHere = JsonBody.isHere(request)
      const body = (yield* JsonBody.bytesOf(request)).toString("utf8")
      // A body may be long on its way, and its sender lose access meanwhile.
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

/**
 * Where the metadata of this resource are (RFC 9728): below the same address as that which they name, or clients would
 * not believe them.
 */
const metadataUrlOf = (
  settings: HttpSettings,
  request: HttpServerRequest.HttpServerRequest,
): string | null => {
  const baseUrl = baseUrlOf(settings, request)
  return baseUrl === "" || !isOwn(settings, baseUrl)
    ? null
    : `${baseUrl}/.well-known/oauth-protected-resource/mcp`
}

/** Both scopes at once: some clients cannot ask for another one later. */
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

/** The path as it was asked for means nothing here, and a proxy may have changed it. */
const urlOf = (request: HttpServerRequest.HttpServerRequest, settings: HttpSettings): string =>
  `${settings.baseUrl() === "" ? "http://localhost" : settings.baseUrl()}/mcp${/\?.*$/.exec(request.url)?.[0] ?? ""}`

/**
 * Pages of the instance itself, of programs on the caller's own machine, and of origins that the operator names. Others
 * are refused: a page that a browser was led to by its name must not reach a server that listens at home.
 */
const isAllowed = (origin: string, { baseUrl, corsOrigins }: HttpSettings): boolean => {
  if (corsOrigins.includes("*") || corsOrigins.includes(origin)) return true
  if (!URL.canParse(origin)) return false
  const { hostname, protocol } = new URL(origin)
  if (/^https?:$/.test(protocol) && loopback.has(hostname)) return true
  return URL.canParse(baseUrl()) && new URL(baseUrl()).origin === origin
}

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"])

/** Also for pages that are refused then: they may read why. Nothing is sent along that they do not know themselves. */
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
