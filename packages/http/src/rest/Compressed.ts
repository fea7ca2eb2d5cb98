/** A text that is requested often. It is compressed at the first request for a coding, and cached. */

import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { codingOf } from "../AcceptedCoding.js"

export interface CompressedOptions {
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
}

/** Responds with the text in the preferred coding of the request. */
export const answer = (text: string, { contentType, headers }: CompressedOptions) =>
  Effect.gen(function* () {
    const bytes = Buffer.from(text)
    const respond = (body: Uint8Array, coding: Record<string, string>) =>
      HttpServerResponse.uint8Array(body, {
        contentType,
        headers: { ...headers, vary: "accept-encoding", ...coding },
      })
    const identity = Effect.succeed(respond(bytes, {}))
    const responses = {
      br: yield* Effect.cached(
        compressed(brotli(bytes), (body) => respond(body, { "content-encoding": "br" })),
      ),
      gzip: yield* Effect.cached(
        compressed(gzipped(bytes), (body) => respond(body, { "content-encoding": "gzip" })),
      ),
      identity,
    }
    return Effect.flatMap(
      HttpServerRequest.HttpServerRequest,
      (request) => responses[codingOf(request.headers["accept-encoding"])],
    )
  })

// internal

const compressed = <A>(work: () => Promise<Uint8Array>, respond: (body: Uint8Array) => A) =>
  Effect.map(Effect.promise(work), respond)

// At the highest quality, two megabytes take seconds and shrink by only a tenth more.
const brotli = (bytes: Buffer) => () =>
  promisify(brotliCompress)(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  })

const gzipped = (bytes: Buffer) => () => promisify(gzip)(bytes, { level: 9 })
