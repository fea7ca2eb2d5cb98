/** Names under which a script or a map may have been uploaded. */
import { StorableText } from "@errata/core/internal"
import { percentDecoded } from "./MapReference.js"

/**
 * Returns names from the most to the least exact. For `https://h/a/app.js?v=3`: the URL, the same without query, and
 * `~/a/app.js`. Then the decoded file names: `~/[id].js` for `https://h/%5Bid%5D.js`.
 */
export const namesOf = (path: string): ReadonlyArray<string> => {
  const whole = withoutFragment(path)
  const bare = withoutQuery(whole)
  const names = [whole, bare]
  const rest = afterOrigin(whole)
  if (rest !== null) names.push(`~${rest}`, `~${withoutQuery(rest)}`)
  return [...new Set([...names, ...names.map(asFile)])]
}

/** Names of the map next to a script that was not uploaded itself. */
export const namesOfMapBeside = (path: string): ReadonlyArray<string> =>
  namesOf(`${withoutQuery(withoutFragment(path))}.map`)

/** Resolves the reference of a script that was uploaded as `url`. Null if that is impossible. */
export const resolveReference = (reference: string, url: string): string | null => {
  const base = url.startsWith("~/") ? `${anywhere}${url.slice(1)}` : url
  const clean = withoutQuery(withoutFragment(reference))
  if (clean === "") return null
  if (!URL.canParse(clean, base)) return URL.canParse(base) ? null : besides(url, clean)
  const resolved = new URL(clean, base).href
  return resolved.startsWith(`${anywhere}/`) ? `~${resolved.slice(anywhere.length)}` : resolved
}

/** Returns the address of a map that was uploaded as `url`, for a page with the script at `path`. */
export const mapUrlFor = (url: string | null, path: string): string => {
  if (url === null) return path
  const rest = afterOrigin(path)
  return url.startsWith("~/") && rest !== null ? path.slice(0, path.length - rest.length) + url.slice(1) : url
}

/** Returns the decoded last segment of a URL, without query. */
export const baseNameOf = (path: string): string => {
  const bare = withoutQuery(withoutFragment(path))
  return asFile(bare.slice(bare.lastIndexOf("/") + 1))
}

/** Returns `https://host` in lower case. Null for addresses without a web server. */
export const webOriginOf = (path: string): string | null =>
  /^https?:\/\/[^/?#]+/i.exec(path)?.[0].toLowerCase() ?? null

// internal

/** Placeholder for the host that `~` leaves open. */
const anywhere = "http://tilde.invalid"

const withoutFragment = (path: string): string => cut(path, "#")
const withoutQuery = (path: string): string => cut(path, "?")

/** Browsers encode URLs, while build tools upload plain file names. */
const asFile = (name: string): string => {
  const decoded = percentDecoded(name)
  return decoded !== null && StorableText.isStorable(decoded) ? decoded : name
}

const cut = (path: string, from: string): string => {
  const at = path.indexOf(from)
  return at === -1 ? path : path.slice(0, at)
}

/** `/a/app.js` for `https://h/a/app.js` and `app:///a/app.js`. Null for other texts. */
const afterOrigin = (path: string): string | null => {
  const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(path)?.[0]
  if (origin === undefined) return path.startsWith("/") ? path : null
  const rest = path.slice(origin.length)
  return rest.startsWith("/") ? rest : `/${rest}`
}

/** For plain upload names, such as `dist/app.js`. */
const besides = (url: string, reference: string): string =>
  url.slice(0, url.lastIndexOf("/") + 1) + reference.replace(/^\.\//, "")
