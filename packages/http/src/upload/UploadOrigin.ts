/** The origin under which an upload client knows the instance. It sends its files to no other. */
import type { HttpSettings } from "../HttpOptions.js"

/** What is known of where a request was sent to. */
export interface Destination {
  readonly header: (name: string) => string | undefined
  /** The origin of a fetch-style request; null where there is none. */
  readonly requestOrigin: string | null
}

/**
 * The base URL's where the request names its host, since a proxy in front may be the one that speaks TLS; else what
 * trusted proxies say of the request; else the host that the request names.
 */
export const originOf = (
  { header, requestOrigin }: Destination,
  {
    baseUrl,
    isBaseUrlGiven,
    trustedProxies,
  }: Pick<HttpSettings, "baseUrl" | "isBaseUrlGiven" | "trustedProxies">,
): string => {
  const base = URL.canParse(baseUrl()) ? new URL(baseUrl()) : null
  const host = hostOf(header("host")) ?? (requestOrigin === null ? null : new URL(requestOrigin).host)
  const forwardedHost = hostOf(lastOf(header("x-forwarded-host")))
  // Anybody may say that it is the base URL: that is no secret, and where answers of this instance lead to anyway.
  if (isBaseUrlGiven && base !== null && (host === base.host || forwardedHost === base.host))
    return base.origin
  if (trustedProxies > 0) {
    const scheme = lastOf(header("x-forwarded-proto"))?.toLowerCase()
    const reached = forwardedHost ?? host
    if (reached !== null && (scheme === "http" || scheme === "https")) return `${scheme}://${reached}`
  }
  if (requestOrigin !== null) return requestOrigin
  return host !== null ? `http://${host}` : (base?.origin ?? "http://localhost")
}

// internal

/** A name or an address, and a port: nothing that would mean something else in a URL. */
const isHost = /^(?:[\w.-]{1,253}|\[[0-9a-fA-F:.]{2,45}\])(?::\d{1,5})?$/

const hostOf = (text: string | undefined): string | null =>
  text !== undefined && isHost.test(text) ? text.toLowerCase() : null

/** The entry of the proxy that is next to the server. */
const lastOf = (list: string | undefined): string | undefined => list?.split(",").at(-1)?.trim()
