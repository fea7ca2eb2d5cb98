/** The handlers of an instance for an application's server, in the fetch style and for Node. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Services } from "@errata/core"
import { Effect, type Scope } from "effect"
import { type HttpOptions, settingsOf } from "./HttpOptions.js"
import * as Ingest from "./Ingest.js"
import * as IngestRoute from "./IngestRoute.js"
import * as NodeListener from "./NodeListener.js"
import { originForm } from "./OriginForm.js"
import { sendNode } from "./PlainAnswer.js"
import * as Probes from "./Probes.js"
import * as RestApp from "./rest/RestApp.js"
import * as UploadApp from "./upload/UploadApp.js"
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
    const parts = {
      ingest: yield* Ingest.make,
      match: IngestRoute.matcher([settings.basePath, ...settings.dsnPrefixes]),
      rest: yield* RestApp.make(settings),
      trustedProxies: settings.trustedProxies,
    }
    const probes = Probes.make(settings)
    yield* probes.serve
    const fetch = yield* WebHandler.of({ ...parts, probes })
    const listener = yield* NodeListener.make({
      ...parts,
      isUpload: (url) => UploadApp.matches(url, settings),
    })
    return {
      fetch,
      node: (request, response) => {
        const { headers, method } = request
        const isProbe = probes.handle(
          { method, url: originForm(request), authorization: headers.authorization },
          (answer) => sendNode(request, response, answer),
        )
        if (!isProbe) listener.request(request, response)
      },
    }
  })
