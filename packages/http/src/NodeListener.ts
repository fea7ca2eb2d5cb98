/**
 * The request listener for Node. Ingest URLs are told by a cheap check of the string and served at once; all else goes
 * to the platform's router, which costs several times as much.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
// By its own path: the index of the package loads clusters, sockets and an HTTP client besides.
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Scope } from "effect"
import { countAnswer, timeRequest } from "./AnswerCounts.js"
import type { HttpApp } from "./HttpApp.js"
import type { Ingest } from "./Ingest.js"
import type { IngestRoute } from "./IngestRoute.js"
import * as NodeBody from "./NodeBody.js"
import { originForm } from "./OriginForm.js"
import { sendNode } from "./PlainAnswer.js"
import * as JsonText from "./rest/JsonText.js"
import { maxRequestBytes } from "./upload/ChunkRequests.js"

export interface NodeListener {
  readonly request: (request: IncomingMessage, response: ServerResponse) => void
  /** For requests that wait to be told that their body is wanted. */
  readonly checkContinue: (request: IncomingMessage, response: ServerResponse) => void
}

export const make = (options: {
  readonly ingest: Ingest
  readonly match: (url: string) => IngestRoute | null
  readonly rest: HttpApp
  readonly trustedProxies: number
  /** Whether it is an upload client's URL. */
  readonly isUpload: (url: string) => boolean
}): Effect.Effect<NodeListener, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { ingest, match, trustedProxies } = options
    // Requests under way end after what this scope comes to hold later, such as the wait for their answers.
    const scope = yield* Effect.acquireRelease(Scope.make(), Scope.close)
    const rest = yield* NodeHttpServer.makeHandler(options.rest, { scope })

    const serve = (route: IngestRoute, request: IncomingMessage, response: ServerResponse) => {
      const { headers } = request
      const body = NodeBody.make(request, ingest.maxBodyBytes(route), ingest.memory, trustedProxies)
      const header = (name: string) => {
        const value = headers[name]
        return typeof value === "string" ? value : undefined
      }
      ingest.handle({ route, method: request.method ?? "", header, body }, (answer) => {
        body.release()
        countAnswer(answer)
        sendNode(request, response, answer)
      })
    }

    const request = (incoming: IncomingMessage, response: ServerResponse) => {
      const url = originForm(incoming)
      const route = match(url)
      if (route === null) {
        const answered = timeRequest()
        response.once("finish", () => answered(response.statusCode))
        rest(incoming, response)
      } else serve(route, incoming, response)
    }

    return {
      request,
      checkContinue: (incoming, response) => {
        const url = originForm(incoming)
        const others = options.isUpload(url) ? maxRequestBytes : JsonText.maxBytes
        const route = match(url)
        const limit = route === null ? others : ingest.maxBodyBytes(route)
        // What is too large is refused by its announced length before any of it is sent.
        // For the rest, who sends is looked at first.
        if (!(Number(incoming.headers["content-length"]) > limit)) {
          NodeBody.whenWanted(incoming, () => response.writeContinue())
        }
        request(incoming, response)
      },
    }
  })
