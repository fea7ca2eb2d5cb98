/** Handles requests. The handlers are loaded at the first request: programs that only capture never load them. */
import type { ServerResponse } from "node:http"
import type { Services } from "@errata/core"
import { ClientDocumentReader, type OutboundClient, type PayloadDecoder } from "@errata/core/ports"
import type { HttpOptions, Mount } from "@errata/http"
import type * as Calls from "@errata/http/calls"
import type { SourceMapEngine } from "@errata/sourcemap"
import { Effect, Layer, type Scope } from "effect"
import type { NodeHandler } from "./Errata.js"
import { layerCalls } from "./ErrataLayer.js"
import { ErrataClosedError } from "./Errors.js"
import type { Gate } from "./Gate.js"
import { identityOf, type People } from "./People.js"
import { restored } from "./RestoredRequest.js"

/** Services that requests need and that every instance has. */
export type Shared =
  | Services.Stores
  | Services.IntakeServices
  | PayloadDecoder
  | SourceMapEngine
  | OutboundClient
  | Scope.Scope

/** Builds the services that only calls need. `memoMap` shares those of the instance; the scope closes the rest. */
const provided = <A>(
  memoMap: Layer.MemoMap,
  effect: Effect.Effect<A, never, Services.Services | Scope.Scope>,
): Effect.Effect<A, never, Shared> =>
  Effect.gen(function* () {
    const calls = Layer.merge(layerCalls, ClientDocumentReader.layer)
    const built = yield* Layer.buildWithMemoMap(calls, memoMap, yield* Effect.scope)
    return yield* Effect.provide(effect, built)
  })

/** Builds the handler of calls, without a server and pages. */
export const makeCalls = (
  options: Calls.CallOptions,
  memoMap: Layer.MemoMap,
): Effect.Effect<Calls.Calls, never, Shared> =>
  Effect.flatMap(
    Effect.promise(() => import("@errata/http/calls")),
    ({ make }) => provided(memoMap, make(options)),
  )

/** Builds the handler of requests. */
export const make = (
  options: HttpOptions,
  people: People | undefined,
  memoMap: Layer.MemoMap,
): Effect.Effect<Mount.Mount, never, Shared> =>
  Effect.gen(function* () {
    const [{ Mount, PeopleIdentity }, { mcp }] = yield* Effect.promise(() =>
      Promise.all([import("@errata/http"), import("@errata/mcp")]),
    )
    return yield* provided(memoMap, Mount.make({ ...options, mcp })).pipe(
      Effect.provideService(PeopleIdentity, people === undefined ? null : identityOf(people)),
    )
  })

/** Handles requests of Node, and builds the handler first if necessary. `failed` receives the error if that fails. */
export const nodeHandler =
  (
    gate: Pick<Gate, "run">,
    mount: () => Promise<Pick<Mount.Mount, "node">>,
    failed: (error: unknown) => void,
  ): NodeHandler =>
  (request, response) => {
    const whole = restored(request)
    if (whole === null) {
      refuse(response, 500, bodyIsGone)
      return
    }
    gate
      .run("nodeHandler", async () => {
        const { node } = await mount()
        await answered(response, () => node(whole, response))
      })
      .catch((error: unknown) => {
        if (error instanceof ErrataClosedError) refuse(response, 503, "Errata is closed")
        else {
          failed(error)
          refuse(response, 500, "Errata could not start. Its log has the reason")
        }
      })
  }

/** The response of a closed instance. */
export const closed = (): Response =>
  new Response("Errata is closed", { status: 503, headers: { "content-type": "text/plain" } })

// internal

const bodyIsGone =
  "Another middleware read the body of this request and did not keep it. Mount Errata's handler before that middleware"

const answered = (response: ServerResponse, answer: () => void): Promise<void> =>
  new Promise((resolve) => {
    if (response.destroyed || response.writableEnded) resolve()
    else {
      response.once("close", resolve)
      answer()
    }
  })

const refuse = (response: ServerResponse, status: number, text: string): void => {
  if (response.headersSent || response.destroyed) return
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", "content-length": text.length })
  response.end(text)
}
