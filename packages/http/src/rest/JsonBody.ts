/** Reads JSON bodies within limits, after the sender is authorized. */

import { IncomingMessage } from "node:http"
import { Problem } from "@errata/api/internal"
import { Context, Effect, Layer } from "effect"
import * as BodyMemory from "../BodyMemory.js"
import type { BodyRejected } from "../RequestBody.js"
import * as WholeBody from "../WholeBody.js"
import { ApiKeys } from "./ApiKeys.js"
import { RequestBodies } from "./AuthorizedBody.js"
import type { BodyRequest } from "./BodyRequest.js"
import { maxBytes, tooLarge } from "./JsonText.js"

/** Memory for bodies of the API, separate from that for events. */
export class JsonMemory extends Context.Service<JsonMemory, BodyMemory.BodyMemory>()(
  "@errata/http/rest/JsonMemory",
) {
  static readonly layer = Layer.effect(JsonMemory, BodyMemory.scoped(maxBytes))
}

/** True if the whole body has arrived. Unknown for fetch-style requests with a body, so false. */
export const isHere = ({ source }: BodyRequest): boolean =>
  source instanceof IncomingMessage ? source.complete : (source as Request).body === null

/** Reads the whole body. */
export const bytesOf = (
  request: BodyRequest,
): Effect.Effect<
  Buffer,
  Problem.BadRequest | Problem.ContentTooLarge | Problem.ServiceUnavailable,
  JsonMemory
> =>
  Effect.flatMap(JsonMemory, (memory) =>
    Effect.mapError(
      // Senders are distinguished by their key.
      WholeBody.read(request.source, { maxBytes, memory, sender: request.headers["authorization"] ?? "" }),
      ({ reason }) => problemOf(reason),
    ),
  )

/** Reads bodies from the network. The key is checked again if the body arrived after the first check. */
export const layer: Layer.Layer<RequestBodies, never, ApiKeys | JsonMemory> = Layer.effect(
  RequestBodies,
  Effect.gen(function* () {
    const { authenticate } = yield* ApiKeys
    const memory = yield* JsonMemory
    return {
      receive: (request) =>
        Effect.gen(function* () {
          const wasHere = isHere(request)
          const bytes = yield* bytesOf(request)
          return { bytes, sender: wasHere ? null : yield* authenticate(request) }
        }).pipe(Effect.provideService(JsonMemory, memory)),
    }
  }),
)

// internal

const problemOf = (reason: BodyRejected["reason"]) => {
  switch (reason) {
    case "too_large":
      return tooLarge()
    case "busy":
      return Problem.serviceUnavailable("Too many requests are running. Try again later")
    case "slow":
      return Problem.badRequest("The body arrived too slowly")
    case "aborted":
      return Problem.badRequest("The body ended early")
  }
}
