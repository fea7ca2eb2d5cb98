/** Where a script says that its map is, and what it says where that is a `data:` address. */
import { mapCommentOf } from "./ScriptComments.js"

/**
 * What a script that was fetched says: its headers before its last comment. The end of the script is enough. Null where it
 * says nothing. Unlike a name in a bundle it is taken whole: a server may want the query.
 */
export const referenceOf = (
  headers: Readonly<Record<string, string>>,
  endOfScript: Uint8Array,
): string | null =>
  headers["sourcemap"]?.trim() || headers["x-sourcemap"]?.trim() || mapCommentOf(endOfScript)

/** What a `data:` address holds; null where it cannot be read. */
export const readDataUrl = (url: string): Uint8Array | null => {
  const comma = url.indexOf(",")
  if (comma === -1 || !isDataUrl(url)) return null
  const text = percentDecoded(url.slice(comma + 1))
  if (text === null) return null
  if (!/;\s*base64$/i.test(url.slice(0, comma))) return new TextEncoder().encode(text)
  // Node's decoder leaves out what is no base64.
  return /[^A-Za-z0-9+/=\s]/.test(text) ? null : Buffer.from(text, "base64")
}

export const isDataUrl = (reference: string): boolean => /^data:/i.test(reference)

/** Null of what is no UTF-8, or has a `%` that encodes nothing. */
export const percentDecoded = (text: string): string | null => {
  if (!text.includes("%")) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
