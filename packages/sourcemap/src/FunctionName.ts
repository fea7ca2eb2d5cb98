/** Names of functions as maps, scripts and engines write them. */
import { maxMinified, type SourceMapFile } from "./SourceMapFile.js"

export const anonymous = "<anonymous>"

export const isIdentifier = (name: string): boolean => identifier.test(name)

/** `checkout`, `Cart.checkout`, `Cart.#price` or `new Cart`. */
export const isOfFunction = (name: string): boolean =>
  name.replace(/^new /, "").split(".").every(isIdentifier)

/**
 * The name of a function in an event, without parts that a minifier made. `mt.checkout` is `checkout`, because minifiers
 * do not rename members; `Pl` is `<anonymous>`.
 */
export const withoutMinified = (raw: string, { names, shortNames }: SourceMapFile): string => {
  if (raw === "" || raw === "?") return anonymous
  // Without names in the map, nothing was minified.
  if (names.length === 0) return raw
  const bare = raw.replace(/^(?:(?:async|new|get|set|static) )+/, "")
  const called = / \[as ([^\]]+)\]$/.exec(bare)?.[1]
  const parts = bare.replace(/ \[as .*$/, "").split(".")
  const isMinified = (part: string) => part.length <= maxMinified && !shortNames.has(part)
  if (!parts.some(isMinified)) return raw
  if (called !== undefined || parts.length > 1) return called ?? parts.at(-1)!
  return anonymous
}

// internal

const identifier = /^[\p{ID_Start}$_#][\p{ID_Continue}$]{0,255}$/u
