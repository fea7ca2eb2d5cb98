/** The paths of upload clients: everything below `/api/0`, as it stands in the request line. */

/** Whether a URL is one of an upload client: at the root of the host, and below the base path. */
export const matches = (url: string, basePath: string): boolean =>
  isBelow(url, "") || (basePath !== "" && isBelow(url, basePath))

export interface UploadPath {
  /** What stands before `/api/0`. */
  readonly prefix: string
  /** Decoded, each once: a release `a/b` is one segment. Null where one of them cannot be decoded. */
  readonly segments: ReadonlyArray<string> | null
  readonly query: URLSearchParams
}

/** Splits before it decodes, so that a slash in a name separates nothing. A slash at the end says nothing. */
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
