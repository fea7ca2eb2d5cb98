/** The OpenAPI document of the contract, and a page on which people read and try it. Both are for everyone. */
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiBuilder, OpenApi } from "effect/http-api"
import { createHash } from "node:crypto"
import { apiPath, type ErrataApi } from "@errata/api"
import { Context, Effect, Layer } from "effect"
import * as Compressed from "./Compressed.js"

/** The paths served here, for an API of the given service name. */
export const paths = (serviceName: string) => ({
  document: `${apiPath(serviceName)}/openapi.json` as const,
  page: `${apiPath(serviceName)}/docs` as const,
})

export const layer = (api: ErrataApi, serviceName: string) =>
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function* () {
      const { document, page } = paths(serviceName)
      const json = yield* Effect.cached(
        Effect.suspend(() =>
          Compressed.answer(JSON.stringify(OpenApi.fromApi(api)), {
            contentType: "application/json",
            headers: kept,
          }),
        ),
      )
      const html = yield* Effect.cached(render(api))
      yield* router.get(document, Effect.flatten(json))
      yield* router.get(page, Effect.flatten(html))
    }),
  )

// internal

// The contract changes with the version of the server: a short while is long enough.
const kept = { "cache-control": "public, max-age=300" }

/** Made when it is first asked for: the page carries two megabytes that most servers never send. */
const render = (api: ErrataApi) =>
  Effect.gen(function* () {
    const HttpApiSwagger = yield* Effect.promise(() => import("@effect/platform/HttpApiSwagger"))
    const swagger = HttpApiSwagger.layer({ path: "/" }).pipe(
      Layer.provideMerge(HttpApiBuilder.Router.Live),
      Layer.provide(Layer.succeed(HttpApi.Api, { api: api as never, context: Context.empty() })),
    )
    const router = yield* Effect.provide(HttpApiBuilder.Router.router, swagger)
    const request = HttpServerRequest.fromWeb(new Request("http://localhost/"))
    const response = yield* Effect.provideService(router, HttpServerRequest.HttpServerRequest, request)
    const page = yield* Effect.promise(() => HttpServerResponse.toWeb(response).text())
    return yield* Compressed.answer(page, {
      contentType: "text/html; charset=utf-8",
      headers: { ...kept, "content-security-policy": policyOf(page) },
    })
  }).pipe(Effect.scoped, Effect.orDie)

/** Lets run what the page itself carries, and nothing else. */
const policyOf = (page: string): string => {
  const scripts = Array.from(page.matchAll(/<script>([\s\S]*?)<\/script>/g), ([, script]) => script!)
  const hashes = scripts.map((script) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`)
  return [
    "default-src 'none'",
    `script-src ${hashes.join(" ")}`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ")
}
