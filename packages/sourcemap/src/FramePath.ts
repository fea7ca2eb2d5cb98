import type { Frame } from "@errata/core/ports"

/** Returns the URL of a frame's script, or null if no map can apply to it. */
export const pathOf = (frame: Frame): string | null => {
  const { colno = 0, lineno = 0 } = frame
  // Without a column, a position in a minified script is useless.
  if (lineno < 1 || colno < 1) return null
  let path = frame.abs_path || frame.filename || ""
  // Old SDKs keep a prefix of the engine before the URL.
  if (path.startsWith("async ")) path = path.slice("async ".length)
  return path === "" || noScript.test(path) || page.test(path) ? null : path
}

// internal

const noScript =
  /^(?:<|\[native code\]$|native(?:$| )|\(native\)$|node:|internal\/|blob:|data:|about:|eval |(?:chrome|moz|safari|safari-web|ms-browser|edge|opera)-extension:)|eval at /

/** Code within a page has no map of its own. */
const page = /(?:\.x?html?|^https?:\/\/[^/?#]*\/?|\/)(?:[?#].*)?$/is
