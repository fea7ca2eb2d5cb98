/** Where a hosted script says that its map is. */
import { Either, Encoding } from "effect"

/**
 * What a script that was fetched says: its headers before its last comment. The end of the script is enough. Null where it
 * says nothing. Unlike a name in a bundle it is taken whole: a server may want the query.
 */
export const referenceOf = (headers: Readonly<Record<string, string>>, endOfScript: string): string | null =>
  headers["sourcemap"]?.trim() || headers["x-sourcemap"]?.trim() || lastComment(endOfScript)

/** What a `data:` address holds; null where it cannot be read. */
export const readDataUrl = (url: string): Uint8Array | null => {
  const comma = url.indexOf(",")
  if (comma === -1) return null
  const text = percentDecoded(url.slice(comma + 1))
  if (text === null) return null
  if (!/;\s*base64$/i.test(url.slice(0, comma))) return new TextEncoder().encode(text)
  return Either.getOrNull(Encoding.decodeBase64(text))
}

// internal

// Quotes do not belong to addresses: a string in a bundler's own code looks like a comment, but ends with one.
const comments = /\/[/*][#@][ \t]*sourceMappingURL=[ \t]*([^\s'"`]+)[ \t]*(?:\*\/[ \t]*)?$/gm

const lastComment = (text: string): string | null => {
  let last: string | null = null
  for (const [, reference] of text.matchAll(comments)) last = reference!.replace(/\*\/$/, "")
  return last
}

const percentDecoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
