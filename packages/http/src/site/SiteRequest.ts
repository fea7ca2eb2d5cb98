/** Requests and responses of pages and OAuth as plain values, converted from and to those of the server. */

import type { IncomingMessage } from "node:http"
import { type Effect, Option } from "effect"
import { Cookies, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { baseUrlOf } from "../BaseUrl.js"
import type { BodyMemory } from "../BodyMemory.js"
import type { HttpSettings } from "../HttpOptions.js"
import { rootFrom, strippedPrefix } from "../Links.js"
import type { BodyRejected } from "../RequestBody.js"
import { forwardedOr } from "../SenderAddress.js"
import * as WholeBody from "../WholeBody.js"

/** A request for a page. */
export interface SiteRequest {
  readonly method: string
  /** Below the base path. */
  readonly path: string
  readonly query: URLSearchParams
  readonly header: (name: string) => string | undefined
  /** Network address of the client, or empty if it is unknown. */
  readonly address: string
  /** Base URL of the instance, without a trailing slash. */
  readonly baseUrl: string
  /** True if the base URL is configured. Otherwise it is derived from the request, and a proxy may hide its scheme. */
  readonly isBaseUrlGiven: boolean
  /** The path of the instance as the server sees it. Empty if a proxy strips it. */
  readonly basePath: string
  /** Returns the URL of a path of this instance, for links and redirects. */
  readonly href: (path: string) => string
  /** Path of the landing page after sign-in: the dashboard, or the account page without one. */
  readonly landing: string
  /** The whole body, at most 64 KiB. */
  readonly body: Effect.Effect<Buffer, BodyRejected>
  /** The original request, with properties that the embedding application has added. */
  readonly source: IncomingMessage | Request
}

export interface SiteAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Values of `Set-Cookie`. */
  readonly cookies?: ReadonlyArray<string>
  readonly body?: string
}

export const maxBodyBytes = 64 * 1024

/** The path of `request` is already below the base path. */
export const fromPlatform = (
  request: HttpServerRequest.HttpServerRequest,
  settings: HttpSettings,
  memory: BodyMemory,
): SiteRequest => {
  const { headers, url } = request
  const source = request.source as IncomingMessage | Request
  const at = url.indexOf("?")
  const path = at === -1 ? url : url.slice(0, at)
  const mount = settings.isBaseUrlGiven ? settings.basePath : strippedPrefix(source)
  return {
    method: request.method,
    path,
    query: new URLSearchParams(at === -1 ? "" : url.slice(at + 1)),
    header: (name) => headers[name],
    address: forwardedOr(
      Option.getOrElse(request.remoteAddress, () => ""),
      request.headers["x-forwarded-for"],
      settings.trustedProxies,
    ),
    baseUrl: baseUrlOf(settings, request),
    isBaseUrlGiven: settings.isBaseUrlGiven,
    basePath: mount ?? "",
    href: (to) => (mount === null ? rootFrom(path) + to.slice(1) : mount + to),
    landing: settings.dashboard === null ? "/account" : "/projects",
    source,
    body: WholeBody.read(source, {
      maxBytes: maxBodyBytes,
      memory,
      sender: null,
      trustedProxies: settings.trustedProxies,
    }),
  }
}

export const toPlatform = ({
  body = "",
  cookies = [],
  headers = {},
  status,
}: SiteAnswer): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(body, {
    status,
    headers,
    contentType: headers["content-type"] ?? "text/plain; charset=utf-8",
    cookies: Cookies.fromSetCookie(cookies),
  })
