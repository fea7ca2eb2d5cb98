/** The handlers of an instance for an application's server, in the fetch style and for Node. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Services } from "@errata/core"
import { Effect, type Scope } from "effect"
import * as HandlerParts from "./HandlerParts.js"
import { type HttpOptions, settingsOf } from "./HttpOptions.js"
import * as NodeListener from "./NodeListener.js"
import * as Probes from "./Probes.js"
import * as WebHandler from "./WebHandler.js"

/** The handlers of one instance. */
export interface Mount {
  readonly fetch: WebHandler.WebHandler
  /** The body must not have been read. */
  readonly node: (request: IncomingMessage, response: ServerResponse) => void
}

/** Handles requests until the scope closes. */
export const make = (
  options: HttpOptions = {},
): Effect.Effect<Mount, never, Services.Services | Scope.Scope> =>
  Effect.gen(function* () {
    const settings = settingsOf(options, () => "")
    const parts = yield* HandlerParts.make(settings)
    const probes = Probes.make(settings)
    yield* probes.serve
    const fetch = yield* WebHandler.of(parts, probes)
    const listener = yield* NodeListener.make(parts)
    return {
      fetch,
      node: (request, response) => {
        if (!HandlerParts.isProbed(probes, request, response)) listener.request(request, response)
      },
    }
  })
