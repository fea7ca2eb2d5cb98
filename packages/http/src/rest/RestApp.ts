import { ErrataConfig, type Services } from "@errata/core"
import { Effect, identity, Layer, type Scope } from "effect"
import { HttpMiddleware, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApp } from "../HttpApp.js"
import type { HttpSettings } from "../HttpOptions.js"
import * as Probes from "../Probes.js"
import * as Site from "../pages/Site.js"
import * as UploadApp from "../upload/UploadApp.js"
import * as ApiApp from "./ApiApp.js"
import * as Documentation from "./Documentation.js"
import * as McpRoute from "./McpRoute.js"
import * as Pages from "./pages/Pages.js"

export const make = (
  settings: HttpSettings,
): Effect.Effect<HttpApp, never, Services.Services | Scope.Scope> =>
  Effect.gen(function* () {
    const { serviceName } = yield* ErrataConfig
    const api = yield* ApiApp.make(settings)
    const pages = Pages.of(settings.basePath, serviceName)
    yield* Layer.build(
      Layer.merge(Documentation.layer(api.api, serviceName), Pages.layer(pages)).pipe(
        Layer.provide(Layer.succeedContext(api.context)),
      ),
    )
    const app = ApiApp.answer(api, settings, [
      ...Probes.pathsOf(settings),
      ...Object.values(Documentation.paths(serviceName)),
      ...pages.map(({ path }) => path),
    ])
    const site = yield* Site.make(settings)
    const rest = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => site(request) ?? app).pipe(
      Effect.map(secured),
      settings.corsOrigins.length === 0 ? identity : cors(settings.corsOrigins),
    )
    // It has its own CORS rules.
    const mcp = settings.mcp === null ? null : yield* McpRoute.make(settings.mcp, settings)
    const others = (mcp === null ? rest : either(McpRoute.matches, Effect.map(mcp, secured), rest)).pipe(
      Effect.provide(api.context),
      settings.basePath === "" ? identity : ApiApp.below(settings.basePath),
      whole,
      ApiApp.addressed(settings),
    )
    // Build tools request it at the root of the host, regardless of the base path.
    const upload = yield* UploadApp.make(settings)
    return either((url) => UploadApp.matches(url, settings), upload, others)
  })

// internal

const securityHeaders = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
}

/** Headers of the page take precedence. Old browsers only know `X-Frame-Options`, which cannot name sites. */
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
    // Requests of the same origin have no such header.
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

/** Encodes semicolons and hashes: the router ends a path there, unlike reverse proxies that restrict paths. */
const whole = (app: HttpApp): HttpApp =>
  Effect.updateService(app, HttpServerRequest.HttpServerRequest, (request) =>
    /^[^?]*[;#]/.test(request.url)
      ? request.modify({
          url: request.url.replace(/^[^?]*/, (path) => path.replace(/[;#]/g, encodeURIComponent)),
        })
      : request,
  )
