/** The cookies of the pages: for the server alone, and over https under a name that no other host can set. */
import { createHash } from "node:crypto"
import type { SiteRequest } from "./SiteRequest.js"

export type SiteCookie = "session" | "form"

/** Returns the value of a cookie, or null. */
export const read = (request: SiteRequest, cookie: SiteCookie): string | null => {
  const name = nameOf(request, cookie)
  for (const part of (request.header("cookie") ?? "").split(";")) {
    const at = part.indexOf("=")
    if (at !== -1 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim()
  }
  return null
}

/** Sets a cookie for this many seconds, or until the browser is closed. The value has letters, digits, `-` and `_`. */
export const write = (
  request: SiteRequest,
  cookie: SiteCookie,
  value: string,
  maxAge: number | null,
): string => {
  const path = isSecure(request) || request.basePath === "" ? "/" : request.basePath
  return [
    `${nameOf(request, cookie)}=${value}`,
    `Path=${path}`,
    ...(maxAge === null ? [] : [`Max-Age=${maxAge}`]),
    "HttpOnly",
    "SameSite=Lax",
    ...(isSecure(request) ? ["Secure"] : []),
  ].join("; ")
}

export const clear = (request: SiteRequest, cookie: SiteCookie): string => write(request, cookie, "", 0)

// internal

const isSecure = ({ baseUrl }: SiteRequest): boolean => baseUrl.startsWith("https:")

/**
 * Names with `__Host-` are for all paths of a host, so that two instances below one host would share them: each has its
 * base path in its names.
 */
const nameOf = (request: SiteRequest, cookie: SiteCookie): string => {
  const { basePath } = request
  const instance =
    basePath === "" ? "" : `-${createHash("sha256").update(basePath).digest("hex").slice(0, 8)}`
  return `${isSecure(request) ? "__Host-" : ""}errata-${cookie}${instance}`
}
