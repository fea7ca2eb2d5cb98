/** Responds in Markdown to requests that prefer it to JSON. */

import type { Markdown } from "@errata/core"
import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"

/** The part of a request that contains `Accept`. */
export interface MarkdownRequest {
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** True if a request names Markdown in `Accept` and does not prefer JSON. */
export const isWanted = ({ headers }: MarkdownRequest): boolean => prefersMarkdown(headers["accept"] ?? "")

export const of = ({ text }: Markdown): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(responses, ({ text: respond }) =>
    respond(text, { contentType: "text/markdown; charset=utf-8", headers: { vary: "accept" } }),
  )

/** The responses of HTTP. They are loaded on use: most calls within a process need none. */
export const responses = Effect.promise(() => import("effect/http/HttpServerResponse"))

export const prefersMarkdown = (accept: string): boolean => {
  const markdown = quality(accept, "text/markdown")
  return markdown > 0 && markdown >= quality(accept, "application/json")
}

// internal

/** The `q` of a media type, or 0 if it is not named. */
const quality = (accept: string, type: string): number => {
  for (const range of accept.split(",")) {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase())
    if (name !== type) continue
    const given = parameters.find((parameter) => parameter.startsWith("q="))
    const q = given === undefined ? 1 : Number(given.slice(2))
    return Number.isNaN(q) ? 0 : q
  }
  return 0
}
