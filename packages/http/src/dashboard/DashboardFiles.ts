/** Serves the dashboard's pages and assets from memory: no path of a request reaches the disk. */
import { createHash } from "node:crypto"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { codingOf } from "../AcceptedCoding.js"
import { depthOf } from "../Links.js"
import type { Asset, Dashboard } from "./Dashboard.js"
import { isPage } from "./PagePaths.js"

export interface DashboardOptions {
  readonly dashboard: Dashboard
  /** Origins whose pages may show the dashboard in a frame, as CSP sources. */
  readonly frameAncestors: ReadonlyArray<string>
  readonly serviceName: string
}

/** Serves a page or an asset. Returns null for other requests. `path` is below the mount. */
export type DashboardFiles = (
  request: HttpServerRequest.HttpServerRequest,
  path: string,
) => HttpServerResponse.HttpServerResponse | null

export const make = ({ dashboard, frameAncestors, serviceName }: DashboardOptions): DashboardFiles => {
  const policy = policyOf(frameAncestors)
  // A package without its built files fails here, and not at a request.
  const { assets } = dashboard
  const shells = new Map<number, Shell>()
  // The patterns of the pages bound the depth, and with it the size of the map.
  const shellAt = (depth: number): Shell => {
    const known = shells.get(depth)
    if (known !== undefined) return known
    const body = dashboard.shell(depth, serviceName)
    const shell = { body, etag: `"${createHash("sha256").update(body).digest("base64url")}"` }
    shells.set(depth, shell)
    return shell
  }
  return (request, path) => {
    if (request.method !== "GET" && request.method !== "HEAD") return null
    if (path.startsWith(folder)) {
      const asset = assets.get(path.slice(folder.length))
      return asset === undefined ? null : assetAnswer(asset, request.headers["accept-encoding"])
    }
    return isPage(path) ? shellAnswer(shellAt(depthOf(path)), policy, request.headers["if-none-match"]) : null
  }
}

// internal

const folder = "/assets/"

interface Shell {
  readonly body: string
  readonly etag: string
}

const policyOf = (frameAncestors: ReadonlyArray<string>): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${frameAncestors.length === 0 ? "'none'" : frameAncestors.join(" ")}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ")

const shellAnswer = ({ body, etag }: Shell, policy: string, known: string | undefined) => {
  const headers = {
    etag,
    "cache-control": "no-cache",
    "content-security-policy": policy,
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "same-origin",
  }
  // A proxy that compresses the page makes the tag a weak one.
  const isKnown = known?.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag)
  return isKnown
    ? HttpServerResponse.empty({ status: 304, headers })
    : HttpServerResponse.text(body, { contentType: "text/html; charset=utf-8", headers })
}

const assetAnswer = (asset: Asset, accepted: string | undefined) => {
  const { body, coding } = encoded(asset, codingOf(accepted))
  return HttpServerResponse.uint8Array(body, {
    contentType: asset.type,
    headers: {
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
      ...(coding === null ? {} : { "content-encoding": coding }),
    },
  })
}

const encoded = ({ body, br, gz }: Asset, coding: ReturnType<typeof codingOf>) => {
  if (coding === "br" && br !== null) return { body: br, coding }
  if (coding !== "identity" && gz !== null) return { body: gz, coding: "gzip" }
  return { body, coding: null }
}
