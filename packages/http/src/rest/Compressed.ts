/** A text that is asked for again and again: compressed when it is first wanted so, and kept. */

import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"

export interface CompressedOptions {
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
}

/** Answers the text in the coding that the request likes best. */
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

/** Of what an `Accept-Encoding` takes the smallest; what it does not name it does not want. */
export const codingOf = (accepted: string | undefined): "br" | "gzip" | "identity" => {
  const weights = new Map<string, number>()
  for (const part of (accepted ?? "").toLowerCase().split(",")) {
    const [coding = "", ...parameters] = part.split(";").map((text) => text.trim())
    const [, weight = "1"] = /^q=(\d(?:\.\d*)?)$/.exec(parameters[0] ?? "") ?? []
    weights.set(coding, Number(weight))
  }
  const weightOf = (coding: string) => weights.get(coding) ?? weights.get("*") ?? 0
  if (weightOf("br") > 0 && weightOf("br") >= weightOf("gzip")) return "br"
  return weightOf("gzip") > 0 ? "gzip" : "identity"
}

// internal

const compressed = <A>(work: () => Promise<Uint8Array>, respond: (body: Uint8Array) => A) =>
  Effect.map(Effect.promise(work), respond)

// Two megabytes take seconds at the highest quality, for a tenth less.
const brotli = (bytes: Buffer) => () =>
  promisify(brotliCompress)(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  })

const gzipped = (bytes: Buffer) => () => promisify(gzip)(bytes, { level: 9 })
