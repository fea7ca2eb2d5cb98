/** The parts that the handlers for Node and for fetch-style servers share. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { Effect } from "effect"
import type { HttpSettings } from "./HttpOptions.js"
import * as Ingest from "./Ingest.js"
import * as IngestRoute from "./IngestRoute.js"
import { originForm } from "./OriginForm.js"
import { sendNode } from "./PlainAnswer.js"
import type { Probes } from "./Probes.js"
import * as RestApp from "./rest/RestApp.js"
import * as UploadApp from "./upload/UploadApp.js"

/** Builds the parts of the handlers of one instance. */
export const make = (settings: HttpSettings) =>
  Effect.gen(function* () {
    return {
      ingest: yield* Ingest.make,
      /** Finds ingest URLs. */
      match: IngestRoute.matcher([settings.basePath, ...settings.dsnPrefixes]),
      rest: yield* RestApp.make(settings),
      trustedProxies: settings.trustedProxies,
      /** True for URLs of upload clients. */
      isUpload: (url: string) => UploadApp.matches(url, settings),
    }
  })

/** The parts of the handlers of one instance. */
export type HandlerParts = Effect.Success<ReturnType<typeof make>>

/** Handles the request if it is for a probe. Returns false otherwise. */
export const isProbed = (probes: Probes, request: IncomingMessage, response: ServerResponse): boolean => {
  const { headers, method } = request
  return probes.handle({ method, url: originForm(request), authorization: headers.authorization }, (answer) =>
    sendNode(request, response, answer),
  )
}
