/** The OpenAPI document and an interactive documentation page. Both are public. */

import { createHash } from "node:crypto"
import { apiPath } from "@errata/api"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiSwagger, OpenApi } from "effect/http-api"
import * as Compressed from "./Compressed.js"
import type { ServedApi } from "./ServedApi.js"

/** The paths of both, for an API with the given service name. */
export const paths = (serviceName: string) => ({
  document: `${apiPath(serviceName)}/openapi.json` as const,
  page: `${apiPath(serviceName)}/docs` as const,
})

export const layer = (api: ServedApi, serviceName: string) =>
  HttpRouter.use((router) =>
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
      yield* router.add("GET", document, Effect.flatten(json))
      yield* router.add("GET", page, Effect.flatten(html))
    }),
  )

// internal

// The contract changes with the version of the server: a short while is long enough.
const kept = { "cache-control": "public, max-age=300" }

/** Built at the first request: the page has two megabytes that most servers never send. */
const render = (api: ServedApi) =>
  Effect.gen(function* () {
    const swagger = yield* HttpRouter.toHttpEffect(HttpApiSwagger.layer(api, { path: "/" }))
    const request = HttpServerRequest.fromWeb(new Request("http://localhost/"))
    const response = yield* Effect.provideService(swagger, HttpServerRequest.HttpServerRequest, request)
    const page = yield* Effect.promise(() => HttpServerResponse.toWeb(response).text())
    return yield* Compressed.answer(page, {
      contentType: "text/html; charset=utf-8",
      headers: { ...kept, "content-security-policy": policyOf(page) },
    })
  }).pipe(Effect.scoped, Effect.orDie)

/** Allows only the scripts in the page. */
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
