/** Resolves the base URL of the instance for a request. */
import type { IncomingMessage } from "node:http"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import type { HttpSettings } from "./HttpOptions.js"
import { strippedPrefix } from "./Links.js"

/**
 * Returns the configured base URL, without a trailing slash. Default: the URL that the request was sent to, since a
 * server may have several; if that is unreadable, the address the server listens on.
 */
export const baseUrlOf = (
  { basePath, baseUrl, isBaseUrlGiven }: Pick<HttpSettings, "basePath" | "baseUrl" | "isBaseUrlGiven">,
  {
    headers,
    source,
  }: { readonly headers: Readonly<Record<string, string | undefined>>; readonly source: object },
): string => {
  if (isBaseUrlGiven) return baseUrl()
  if (source instanceof Request && URL.canParse(source.url)) return new URL(source.url).origin + basePath
  const host = hostOf(headers["host"])
  if (host === null) return baseUrl()
  return `http://${host}${strippedPrefix(source as IncomingMessage) ?? basePath}`
}

/** Base URL for links in the response to the current request, or null if it is unknown. */
export const requestBaseUrl = (
  settings: Pick<HttpSettings, "basePath" | "baseUrl" | "isBaseUrlGiven">,
): Effect.Effect<string | null, never, HttpServerRequest.HttpServerRequest> =>
  Effect.map(HttpServerRequest.HttpServerRequest, (request) => baseUrlOf(settings, request) || null)

/**
 * True if the instance may use this address as its own. Without a configured base URL, these are the address it listens
 * on and loopback addresses. The sender chooses the `Host` of a request, which must not name the issuer of tokens.
 */
export const isOwn = (
  { baseUrl, isBaseUrlGiven }: Pick<HttpSettings, "baseUrl" | "isBaseUrlGiven">,
  address: string,
): boolean => {
  if (isBaseUrlGiven) return true
  if (!URL.canParse(address)) return false
  const { hostname } = new URL(address)
  return loopback.test(hostname) || (URL.canParse(baseUrl()) && new URL(baseUrl()).hostname === hostname)
}

/** The host in a header, in lower case, or null if it is not one. */
export const hostOf = (text: string | undefined): string | null =>
  text !== undefined && isHost.test(text) ? text.toLowerCase() : null

// internal

const loopback = /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** A host and an optional port, without characters that have a meaning in URLs. */
const isHost = /^(?:[\w.-]{1,253}|\[[0-9a-fA-F:.]{2,45}\])(?::\d{1,5})?$/
