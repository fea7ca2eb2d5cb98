/**
 * The request listener for Node. A cheap string check finds ingest URLs, which are served directly. Other requests go
 * to the router, which costs several times as much.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
// Imported by its path: the package index also loads clusters, sockets and an HTTP client.
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Scope } from "effect"
import { countAnswer, timeRequest } from "./AnswerCounts.js"
import type { HandlerParts } from "./HandlerParts.js"
import type { IngestRoute } from "./IngestRoute.js"
import * as NodeBody from "./NodeBody.js"
import { originForm } from "./OriginForm.js"
import { sendNode } from "./PlainAnswer.js"
import * as JsonText from "./rest/JsonText.js"
import { maxRequestBytes } from "./upload/ChunkRequests.js"

export interface NodeListener {
  readonly request: (request: IncomingMessage, response: ServerResponse) => void
  /** For requests with `Expect: 100-continue`. */
  readonly checkContinue: (request: IncomingMessage, response: ServerResponse) => void
}

export const make = (options: HandlerParts): Effect.Effect<NodeListener, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { ingest, match, trustedProxies } = options
    // A separate scope: requests in flight must finish before later resources of the outer scope, such as the wait for
    // their responses, are released.
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
        // Bodies that are too large by their `Content-Length` are rejected before any byte is sent. Otherwise the
        // sender is authenticated first.
        if (!(Number(incoming.headers["content-length"]) > limit)) {
          NodeBody.whenWanted(incoming, () => response.writeContinue())
        }
        request(incoming, response)
      },
    }
  })
