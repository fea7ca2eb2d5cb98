/** Reads the address of a map from a script, and the contents of `data:` addresses. */
import { mapCommentOf } from "./ScriptComments.js"

/**
 * Returns the address of the map of a fetched script, from its headers, otherwise from its last comment. The end of the
 * script is enough. Null if there is none. The query is kept, because the server may need it.
 */
export const referenceOf = (
  headers: Readonly<Record<string, string>>,
  endOfScript: Uint8Array,
): string | null =>
  headers["sourcemap"]?.trim() || headers["x-sourcemap"]?.trim() || mapCommentOf(endOfScript)

/** Returns the contents of a `data:` address. Null if it is invalid. */
export const readDataUrl = (url: string): Uint8Array | null => {
  const comma = url.indexOf(",")
  if (comma === -1 || !isDataUrl(url)) return null
  const text = percentDecoded(url.slice(comma + 1))
  if (text === null) return null
  if (!/;\s*base64$/i.test(url.slice(0, comma))) return new TextEncoder().encode(text)
  // Node's decoder ignores invalid characters.
  return /[^A-Za-z0-9+/=\s]/.test(text) ? null : Buffer.from(text, "base64")
}

export const isDataUrl = (reference: string): boolean => /^data:/i.test(reference)

/** Null for invalid UTF-8, or for a `%` that encodes nothing. */
export const percentDecoded = (text: string): string | null => {
  if (!text.includes("%")) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
