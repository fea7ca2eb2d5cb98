/** Options and settings of the HTTP handlers. */
import type { MetricFamily } from "@errata/core/internal"
import type { Redacted } from "effect"
import type { Dashboard } from "./dashboard/Dashboard.js"
import * as FrameAncestors from "./dashboard/FrameAncestors.js"
import type { Mcp } from "./McpHandler.js"

/** The options of the HTTP handlers. */
export interface HttpOptions {
  /**
   * The public URL of the instance, e.g. `https://errors.example.com`. Everything is also served below its path.
   * Default: the address listened on.
   */
  readonly baseUrl?: string | undefined
  /** Path prefixes that DSNs may have before the project id, e.g. `/sentry`. */
  readonly dsnPrefixes?: ReadonlyArray<string> | undefined
  /** Origins whose pages may call the REST API. `*` allows every origin. Default: none. */
  readonly corsOrigins?: ReadonlyArray<string> | undefined
  /** Serves Prometheus metrics at `GET /metrics`. Default: disabled. */
  readonly metrics?: MetricsOptions | undefined
  /** Handler of MCP clients at `/mcp`, e.g. that of `@errata/mcp`. Default: none. */
  readonly mcp?: Mcp | undefined
  /**
   * Number of reverse proxies in front, each of which appends to `X-Forwarded-For`. The header identifies clients when
   * sign-in attempts and bodies of unauthenticated senders are limited. Default: 0.
   */
  readonly trustedProxies?: number | undefined
  /** False to omit the issuer (RFC 9207) from authorization responses. Default: true. */
  readonly authorizationResponseIss?: boolean | undefined
  /** The web interface, e.g. `dashboard` of `@errata/dashboard`. Default: only the account pages. */
  readonly dashboard?: Dashboard | undefined
  /** Sites that may show the dashboard in a frame: `'self'` or origins such as `https://example.com`. Default: none. */
  readonly frameAncestors?: ReadonlyArray<string> | undefined
}

/** Access to `/metrics`. */
export interface MetricsOptions {
  /** The token that requests must send as `Authorization: Bearer`. Without it, the metrics are public. */
  readonly token?: Redacted.Redacted | undefined
  /** Returns the metrics to serve. Default: those of this thread, `MetricFamily.snapshot`. */
  readonly gather?: (() => ReadonlyArray<MetricFamily.MetricFamily>) | undefined
}

export interface HttpSettings {
  /** Without a trailing slash. Empty until the server listens, if it is not configured. */
  readonly baseUrl: () => string
  /** True if the options contain the base URL. */
  readonly isBaseUrlGiven: boolean
  /** Path of the base URL, e.g. `/errors`, or empty. */
  readonly basePath: string
  readonly dsnPrefixes: ReadonlyArray<string>
  readonly corsOrigins: ReadonlyArray<string>
  readonly metrics: MetricsOptions | null
  readonly mcp: Mcp | null
  readonly trustedProxies: number
  readonly authorizationResponseIss: boolean
  readonly dashboard: Dashboard | null
  readonly frameAncestors: ReadonlyArray<string>
}

/** `fallbackBaseUrl` is used if the options have no base URL. */
export const settingsOf = (options: HttpOptions, fallbackBaseUrl: () => string): HttpSettings => {
  const baseUrl = options.baseUrl === undefined ? undefined : withoutTrailingSlash(options.baseUrl)
  const basePath =
    baseUrl !== undefined && URL.canParse(baseUrl) ? withoutTrailingSlash(new URL(baseUrl).pathname) : ""
  return {
    baseUrl: baseUrl === undefined ? fallbackBaseUrl : () => baseUrl,
    isBaseUrlGiven: baseUrl !== undefined,
    basePath,
    dsnPrefixes: (options.dsnPrefixes ?? []).map(normalizePrefix).filter((prefix) => prefix !== ""),
    corsOrigins: options.corsOrigins ?? [],
    metrics: options.metrics ?? null,
    mcp: options.mcp ?? null,
    trustedProxies: options.trustedProxies ?? 0,
    authorizationResponseIss: options.authorizationResponseIss ?? true,
    dashboard: options.dashboard ?? null,
    frameAncestors: FrameAncestors.checked(options.frameAncestors ?? []),
  }
}

/** The URL below the base path. Reverse proxies may keep or strip the path. */
export const withoutBasePath = (url: string, basePath: string): string => {
  if (basePath === "" || !url.startsWith(basePath)) return url
  const rest = url.slice(basePath.length)
  // The base URL itself is the home page.
  return rest === "" || rest.startsWith("?") ? `/${rest}` : rest.startsWith("/") ? rest : url
}

// internal

const withoutTrailingSlash = (text: string): string => text.replace(/\/+$/, "")

const normalizePrefix = (prefix: string): string => {
  const path = prefix.replace(/^\/+/, "").replace(/\/+$/, "")
  return path === "" ? "" : `/${path}`
}
