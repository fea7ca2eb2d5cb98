/** The address of the instance as one request needs it. */
import type { IncomingMessage } from "node:http"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import type { HttpSettings } from "./HttpOptions.js"
import { strippedPrefix } from "./Links.js"

/**
 * The configured base URL. Without one it is the address that the request was sent to, as far as that can be read, since
 * a server may be reached under several; else the one listened on. Without a trailing slash.
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
  const host = headers["host"]
  if (host === undefined || !isHost.test(host)) return baseUrl()
  return `http://${host.toLowerCase()}${strippedPrefix(source as IncomingMessage) ?? basePath}`
}

/** The address for links in the answer to the current request; null where none is known. */
export const requestBaseUrl = (
  settings: Pick<HttpSettings, "basePath" | "baseUrl" | "isBaseUrlGiven">,
): Effect.Effect<string | null, never, HttpServerRequest.HttpServerRequest> =>
  Effect.map(HttpServerRequest.HttpServerRequest, (request) => baseUrlOf(settings, request) || null)

/**
 * The instance may call itself by this address. Without a configured base URL that is the address it listens on, or one of
 * the machine itself. The `Host` of a request is the sender's choice, and would name the issuer of tokens.
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

// internal

const loopback = /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** A name or an address, and a port: nothing that would mean something else in a URL. */
const isHost = /^(?:[\w.-]{1,253}|\[[0-9a-fA-F:.]{2,45}\])(?::\d{1,5})?$/
