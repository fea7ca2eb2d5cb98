/** Paths of upload clients: everything below `/api/0`, as in the request line. */

/** True for URLs of upload clients, at the root of the host or below the base path. */
export const matches = (url: string, basePath: string): boolean =>
  isBelow(url, "") || (basePath !== "" && isBelow(url, basePath))

export interface UploadPath {
  /** The path before `/api/0`. */
  readonly prefix: string
  /** Decoded separately, so that a release `a/b` is one segment. Null if one is malformed. */
  readonly segments: ReadonlyArray<string> | null
  readonly query: URLSearchParams
}

/** Splits the path before decoding, so that an encoded slash does not separate segments. Ignores a trailing slash. */
export const parse = (url: string, basePath: string): UploadPath => {
  const prefix = isBelow(url, "") ? "" : basePath
  const mark = url.indexOf("?")
  const path = url.slice(prefix.length + root.length, mark === -1 ? url.length : mark)
  return {
    prefix,
    segments: decoded(path.split("/").filter((segment) => segment !== "")),
    query: new URLSearchParams(mark === -1 ? "" : url.slice(mark + 1)),
  }
}

// internal

const root = "/api/0"

const isBelow = (url: string, prefix: string): boolean => {
  const start = prefix + root
  if (!url.startsWith(start)) return false
  const next = url.charAt(start.length)
  return next === "" || next === "/" || next === "?"
}

const decoded = (segments: ReadonlyArray<string>): ReadonlyArray<string> | null => {
  try {
    return segments.map(decodeURIComponent)
  } catch {
    return null
  }
}
