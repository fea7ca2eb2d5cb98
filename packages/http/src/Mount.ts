/**
 * An instance's answers for servers that are somebody else's: in the fetch style, for Node, and for the process itself. One
 * API and one set of pages stand behind all of them.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Actor, NotSignedIn, Services, StorageError } from "@errata/core"
import { Context, Effect, type Scope } from "effect"
import { type HttpOptions, settingsOf } from "./HttpOptions.js"
import * as Ingest from "./Ingest.js"
import * as IngestRoute from "./IngestRoute.js"
import { LocalCaller } from "./LocalCaller.js"
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
  /** Answers the REST API to an actor of the process, whatever the request carries. */
  readonly as: (
    caller: Effect.Effect<Actor, NotSignedIn | StorageError>,
    request: Request,
  ) => Promise<Response>
}

/** Answers while its scope is open. */
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
    const { fetch, rest } = yield* WebHandler.of({ ...parts, probes })
    const listener = yield* NodeListener.make({
      ...parts,
      isUpload: (url) => UploadApp.matches(url, settings),
    })
    return {
      fetch,
      as: (caller, request) => rest(request, Context.make(LocalCaller, caller)),
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
