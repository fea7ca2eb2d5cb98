/** Recognizes the URLs of Sentry clients. Runs for every request before the router. */
import type { SentryEndpoint } from "@errata/sentry"

export type IngestRoute = EventRoute | DialogRoute

/** The report dialog of browser SDKs. */
export interface DialogRoute {
  readonly endpoint: "error-page"
  readonly query: string
}

export interface EventRoute {
  readonly endpoint: SentryEndpoint
  /** As in the path. Null for the legacy `/api/store/`, where the key identifies the project. */
  readonly projectId: string | null
  /** Without `?`; may be empty. */
  readonly query: string
}

/**
 * Creates the matcher of an instance. It matches `/api/{project}/envelope/`, similar endpoints and
 * `/api/embed/error-page/`, at the root and below each prefix, with or without a trailing slash. Others return null.
 */
export const matcher = (prefixes: ReadonlyArray<string>) => {
  const starts = [...new Set(["", ...prefixes])].map((prefix) => `${prefix}/api/`)
  return (url: string): IngestRoute | null => {
    for (let i = 0; i < starts.length; i++) {
      const start = starts[i]!
      if (url.startsWith(start)) {
        const route = match(url, start.length)
        if (route !== null) return route
      }
    }
    return null
  }
}

// internal

const endpoints = new Map<string, SentryEndpoint>([
  ["envelope", "envelope"],
  ["store", "store"],
  ["security", "security"],
  ["csp-report", "security"],
  ["nel", "nel"],
])

const match = (url: string, at: number): IngestRoute | null => {
  const mark = url.indexOf("?", at)
  const pathEnd = mark === -1 ? url.length : mark
  const end = pathEnd > at && url.charCodeAt(pathEnd - 1) === 47 ? pathEnd - 1 : pathEnd
  const separator = url.indexOf("/", at)
  const query = mark === -1 ? "" : url.slice(mark + 1)
  if (separator === -1 || separator >= end) {
    return url.slice(at, end) === "store" ? { endpoint: "store", projectId: null, query } : null
  }
  const endpoint = separator === at ? undefined : endpoints.get(url.slice(separator + 1, end))
  if (endpoint === undefined && url.slice(at, end) === "embed/error-page")
    return { endpoint: "error-page", query }
  return endpoint === undefined ? null : { endpoint, projectId: url.slice(at, separator), query }
}
