/** The text of a query: its tokens, for colors, and the token at the cursor, for completion. */
import { SearchQuery } from "@errata/core/search"

export interface Token {
  /** Start and end in the query. */
  readonly start: number
  readonly end: number
  /** The part up to its colon; null for free text. */
  readonly key: string | null
  /** The rest, with its quotes. */
  readonly value: string
}

/** A piece of the query with its color. */
export interface Piece {
  readonly text: string
  readonly kind: "space" | "key" | "value" | "text" | "unknown"
}

/** Returns the tokens of a query in order. */
export const tokensOf = (query: string): ReadonlyArray<Token> =>
  Array.from(query.matchAll(pattern), ({ 0: text, 1: head, index }) => ({
    start: index,
    end: index + text.length,
    key: head === undefined ? null : head.slice(0, -1),
    value: head === undefined ? text : text.slice(head.length),
  }))

/** Returns the pieces of a query. Together they are the query. */
export const piecesOf = (query: string, tagKeys: ReadonlyArray<string> = []): ReadonlyArray<Piece> => {
  const pieces: Array<Piece> = []
  let at = 0
  const add = (end: number, kind: Piece["kind"]) => {
    if (end > at) pieces.push({ text: query.slice(at, end), kind })
    at = end
  }
  for (const token of tokensOf(query)) {
    add(token.start, "space")
    if (token.key === null) add(token.end, "text")
    else if (isFilter(query.slice(token.start, token.end), tagKeys)) {
      add(token.end - token.value.length, "key")
      add(token.end, "value")
    } else add(token.end, token.value === "" ? "key" : "unknown")
  }
  add(query.length, "space")
  return pieces
}

/** Returns true if a query has filters that are known by the keys of tags only, or not at all. */
export const hasUnknown = (query: string): boolean => piecesOf(query).some(({ kind }) => kind === "unknown")

/** Replaces a token. Returns the query and the cursor position. A complete token is followed by a space. */
export const replaced = (query: string, token: Token, text: string) => {
  const after = query.slice(token.end)
  const gap = text.endsWith(":") || after.startsWith(" ") ? "" : " "
  const cursor = token.start + text.length + (text.endsWith(":") ? 0 : 1)
  return { query: query.slice(0, token.start) + text + gap + after, cursor }
}

/** Returns the token that the cursor is in or at the end of; an empty one between tokens. */
export const tokenAt = (query: string, cursor: number): Token =>
  tokensOf(query).find(({ end, start }) => start <= cursor && cursor <= end) ?? {
    start: cursor,
    end: cursor,
    key: null,
    value: "",
  }

/** Returns the query without one token. */
export const without = (query: string, { end, start }: Token): string =>
  `${query.slice(0, start)}${query.slice(end)}`.replace(/\s+/g, " ").trim()

/** Sets filters in a query. Filters with the same key are replaced; null removes them. */
export const withFilters = (query: string, filters: Readonly<Record<string, string | null>>): string => {
  const kept = tokensOf(query)
    .filter(({ key }) => key === null || !(key.toLowerCase() in filters))
    .map(({ end, start }) => query.slice(start, end))
  const added = Object.entries(filters).flatMap(([key, value]) =>
    value === null ? [] : [`${key}:${quoted(value)}`],
  )
  return [...kept, ...added].join(" ")
}

/** Writes a value so that it is read as one. */
export const quoted = (value: string): string =>
  /[\s"\\]/.test(value) || value === "" ? `"${value.replace(/["\\]/g, "\\$&")}"` : value

// internal

/** A key with its colon, if there is one, and the rest up to a space outside quotes. As core's parser splits it. */
const pattern = /(!?(?:tags\."(?:[^"\\]|\\.)+"|[^\s":]+):)(?:"(?:[^"\\]|\\.)*"?|\S*)|"(?:[^"\\]|\\.)*"?|\S+/g

/** Uses the parser, so that only actual filters are highlighted. */
const isFilter = (token: string, tagKeys: ReadonlyArray<string>): boolean => {
  const { tags, text, ...filters } = SearchQuery.parse(token, tagKeys)
  return text.length === 0 && tags.length + Object.keys(filters).length > 0
}
