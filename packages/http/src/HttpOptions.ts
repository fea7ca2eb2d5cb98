/** What is to be known about an instance to answer for it over HTTP. */
import type { MetricFamily } from "@errata/core/internal"
import type { Redacted } from "effect"
import type { Dashboard } from "./dashboard/Dashboard.js"
import * as FrameAncestors from "./dashboard/FrameAncestors.js"
import type { Mcp } from "./McpHandler.js"

/** The options of the HTTP handlers. */
export interface HttpOptions {
  /**
   * The address under which people and applications reach the instance, e.g. `https://errors.example.com`. Where it has
   * a path everything is served below that path as well. Without it a server goes by the address it listens on.
   */
  readonly baseUrl?: string | undefined
  /** Path prefixes that DSNs may carry before the project id, e.g. `/sentry`. */
  readonly dsnPrefixes?: ReadonlyArray<string> | undefined
  /** Origins whose pages may call the REST API. `*` allows every origin. None by default. */
  readonly corsOrigins?: ReadonlyArray<string> | undefined
  /** Serves figures for Prometheus at `GET /metrics`. Not at all by default. */
  readonly metrics?: MetricsOptions | undefined
  /** What answers MCP clients at `/mcp`: that of `@errata/mcp`, say. Without it there is no such path. */
  readonly mcp?: Mcp | undefined
  /**
   * How many proxies stand between the server and the network, each of which appends to `X-Forwarded-For`. By what they
   * say, attempts at signing in and bodies of unknown senders are counted by address. None by default.
   */
  readonly trustedProxies?: number | undefined
  /** Whether answers to authorization requests name their issuer (RFC 9207); they do unless told otherwise. */
  readonly authorizationResponseIss?: boolean | undefined
  /** The web interface, such as `dashboard` of `@errata/dashboard`. Without it there are only the pages of accounts. */
  readonly dashboard?: Dashboard | undefined
  /** Sites that may show the dashboard in a frame: `'self'` or origins such as `https://example.com`. None by default. */
  readonly frameAncestors?: ReadonlyArray<string> | undefined
}

/** Access to `/metrics`. */
export interface MetricsOptions {
  /** What a request has to carry as `Authorization: Bearer`; without it everybody may read the figures. */
  readonly token?: Redacted.Redacted | undefined
  /** All figures that are served; by default those of this thread, `MetricFamily.snapshot`. */
  readonly gather?: (() => ReadonlyArray<MetricFamily.MetricFamily>) | undefined
}

export interface HttpSettings {
  /** Without a trailing slash; empty while nothing is known. A server learns its own address only by listening. */
  readonly baseUrl: () => string
  /** Whether that is known from the options. */
  readonly isBaseUrlGiven: boolean
  /** The path of the base URL, e.g. `/errors`; empty where it has none. */
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

/** `fallbackBaseUrl` is asked where the options name no base URL. */
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

/** The URL below the base path: proxies may leave the base URL's path in or take it off. */
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
