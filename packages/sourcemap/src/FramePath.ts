import type { Frame } from "@errata/core/ports"

/** The address of the script that a frame is in; null of a frame that no map can say anything of. */
export const pathOf = (frame: Frame): string | null => {
  const { colno = 0, lineno = 0 } = frame
  // Without a column, a position in a script of one line is none.
  if (lineno < 1 || colno < 1) return null
  let path = frame.abs_path || frame.filename || ""
  // Old SDKs leave what an engine says before the address.
  if (path.startsWith("async ")) path = path.slice("async ".length)
  return path === "" || noScript.test(path) || page.test(path) ? null : path
}

// internal

const noScript =
  /^(?:<|\[native code\]$|native(?:$| )|\(native\)$|node:|internal\/|blob:|data:|about:|eval |(?:chrome|moz|safari|safari-web|ms-browser|edge|opera)-extension:)|eval at /

/** Code within a page has no map of its own. */
const page = /(?:\.x?html?|^https?:\/\/[^/?#]*\/?|\/)(?:[?#].*)?$/is
