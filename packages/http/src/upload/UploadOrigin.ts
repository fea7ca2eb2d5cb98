/** The origin of the instance as an upload client knows it. Clients upload files to no other origin. */
import { hostOf } from "../BaseUrl.js"
import type { HttpSettings } from "../HttpOptions.js"

/** The headers and the origin of a request. */
export interface Destination {
  readonly header: (name: string) => string | undefined
  /** Origin of a fetch-style request, or null. */
  readonly requestOrigin: string | null
}

/**
 * Returns the origin of the base URL if the request names its host, since a proxy may terminate TLS. Otherwise returns
 * the origin in the headers of trusted proxies, or that of the `Host` header.
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
  // Any client may name the host of the base URL. It is public, and responses already link to it.
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

/** The entry that the proxy next to the server appended. */
const lastOf = (list: string | undefined): string | undefined => list?.split(",").at(-1)?.trim()
