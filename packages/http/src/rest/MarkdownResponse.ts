/** Answers in Markdown, where a request prefers that to JSON. */

import type { Markdown } from "@errata/core"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"

/** Whether the current request asks for Markdown by name, and for JSON no more than for it. */
export const isWanted = Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) =>
  prefersMarkdown(headers["accept"] ?? ""),
)

export const of = ({ text }: Markdown): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(text, {
    contentType: "text/markdown; charset=utf-8",
    headers: { vary: "accept" },
  })

export const prefersMarkdown = (accept: string): boolean => {
  const markdown = quality(accept, "text/markdown")
  return markdown > 0 && markdown >= quality(accept, "application/json")
}

// internal

/** The `q` of a media type that is named; 0 where it is not. */
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
