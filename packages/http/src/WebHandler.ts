/** The handlers for fetch-style servers: `(request: Request) => Promise<Response>`. */

import type { Services } from "@errata/core"
import { Context, Effect, Layer, ManagedRuntime, type Scope } from "effect"
import { HttpEffect } from "effect/http"
import { countAnswer, timeRequest } from "./AnswerCounts.js"
import * as HandlerParts from "./HandlerParts.js"
import type { HttpApp } from "./HttpApp.js"
import { type HttpOptions, settingsOf } from "./HttpOptions.js"
import { toWeb } from "./PlainAnswer.js"
import * as Probes from "./Probes.js"
import * as WebBody from "./WebBody.js"

/** Handles fetch-style requests. Never rejects. */
export type WebHandler = (request: Request) => Promise<Response>

/** Builds a handler from the services in the context. */
export const make = (
  options: HttpOptions = {},
): Effect.Effect<WebHandler, never, Services.Services | Scope.Scope> =>
  Effect.gen(function* () {
    const settings = settingsOf(options, () => "")
    const probes = Probes.make(settings)
    yield* probes.serve
    return yield* of(yield* HandlerParts.make(settings), probes)
  })

/** Builds a handler from its parts. */
export const of = (
  { ingest, match, rest: app, trustedProxies }: HandlerParts.HandlerParts,
  probes: Probes.Probes,
) =>
  Effect.map(Effect.context<never>(), (context) => {
    const rest = HttpEffect.toWebHandlerWith<never, Effect.Services<HttpApp>>(context)(app)
    const fetch: WebHandler = (request) => {
      const url = pathAndQuery(request.url)
      const route = match(url)
      if (route === null) {
        const authorization = request.headers.get("authorization") ?? undefined
        return new Promise((resolve) => {
          const isProbe = probes.handle({ method: request.method, url, authorization }, (answer) =>
            resolve(toWeb(request, answer)),
          )
          if (isProbe) return
          const answered = timeRequest()
          resolve(
            rest(request).then((response) => {
              answered(response.status)
              return response
            }),
          )
        })
      }
      const body = WebBody.make(request, ingest.maxBodyBytes(route), ingest.memory, trustedProxies)
      const header = (name: string) => request.headers.get(name) ?? undefined
      return new Promise((resolve) =>
        ingest.handle({ route, method: request.method, header, body }, (answer) => {
          body.release()
          countAnswer(answer)
          resolve(toWeb(request, answer))
        }),
      )
    }
    return fetch
  })

/** A handler that builds its services at the first request and closes them with `dispose`. */
export const fromLayer = <E>(
  services: Layer.Layer<Services.Services, E>,
  options: HttpOptions = {},
): { readonly handler: WebHandler; readonly dispose: () => Promise<void> } => {
  const runtime = ManagedRuntime.make(Layer.provideMerge(Layer.effect(Handler, make(options)), services))
  let handler: Promise<WebHandler> | undefined
  return {
    handler: (request) => {
      handler ??= runtime.runPromise(Handler)
      return handler.then((handle) => handle(request))
    },
    dispose: () => runtime.dispose(),
  }
}

// internal

class Handler extends Context.Service<Handler, WebHandler>()("@errata/http/WebHandler") {}

const pathAndQuery = (url: string): string => {
  const path = url.indexOf("/", url.indexOf("//") + 2)
  return path === -1 ? "/" : url.slice(path)
}
