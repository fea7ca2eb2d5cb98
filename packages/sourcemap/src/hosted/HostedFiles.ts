/** Downloads files from authorized origins, and follows redirects. */
import { ErrataConfig, type ProjectId } from "@errata/core"
import type { SourcemapFailureCode } from "@errata/core/internal"
import {
  type OutboundAnswer,
  OutboundClient,
  type OutboundFailed,
  type OutboundRefused,
  type OutboundUnreadable,
} from "@errata/core/ports"
import { Effect } from "effect"
import { AuthorizedOrigins, originOf } from "./AuthorizedOrigins.js"
import { HostedMapUnavailable } from "./HostedMaps.js"

export interface HostedFile {
  /** The address after redirects. */
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** The largest accepted file, and how much of its end is kept. */
export interface FileBounds {
  readonly maxBytes: number
  readonly tailBytes: number
}

/** Returns an address without credentials, which would be sent, and without its fragment. */
export const addressOf = (text: string, base?: URL): URL | null => {
  if (!URL.canParse(text, base?.href)) return null
  const url = new URL(text, base)
  url.username = ""
  url.password = ""
  url.hash = ""
  return url
}

/**
 * Downloads a file, or fails with the reason. Each address is checked before its request, and its origin is added to
 * `visited`.
 */
export const make = Effect.gen(function* () {
  const { hostedMaps: settings } = yield* ErrataConfig
  const client = yield* OutboundClient
  const authorized = yield* AuthorizedOrigins

  const ask = (url: URL, bounds: FileBounds) =>
    client
      .download({
        url: url.href,
        headers: { accept: "*/*", "user-agent": "errata" },
        timeout: settings.timeout,
        headersTimeout: settings.headersTimeout,
        ...bounds,
      })
      .pipe(Effect.mapError((error) => unavailable(codeOf(error))))

  return (projectId: ProjectId, address: URL, bounds: FileBounds, visited: Set<string>) =>
    Effect.gen(function* () {
      let url = address
      for (let redirects = 0; redirects <= maxRedirects; redirects++) {
        const refusal = yield* authorized.refusal(projectId, url)
        if (refusal !== null) return yield* unavailable(refusal)
        visited.add(originOf(url)!)
        const answer = yield* ask(url, bounds)
        if (answer.status === 200) {
          return { url, headers: answer.headers, body: answer.body } satisfies HostedFile
        }
        const next = redirectOf(answer, url)
        if (next === null) return yield* unavailable(statusCode(answer.status))
        url = next
      }
      return yield* unavailable("hosted_redirect")
    }).pipe(Effect.timeoutOrElse({ duration: settings.timeout, orElse: () => unavailable("hosted_timeout") }))
})

export const unavailable = (code: SourcemapFailureCode) => new HostedMapUnavailable({ code })

// internal

const maxRedirects = 3

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Returns the target of a redirect. Null for other responses. */
const redirectOf = ({ headers, status }: OutboundAnswer, from: URL): URL | null => {
  const location = headers["location"]
  return redirectStatuses.has(status) && location !== undefined ? addressOf(location, from) : null
}

const statusCode = (status: number): SourcemapFailureCode => {
  if (status === 404 || status === 410) return "hosted_not_found"
  return redirectStatuses.has(status) ? "hosted_redirect" : "hosted_http_error"
}

/** Messages of other servers are not repeated. */
const codeOf = (error: OutboundRefused | OutboundFailed | OutboundUnreadable): SourcemapFailureCode => {
  switch (error.reason) {
    case "private_address":
      return "address_not_public"
    case "timeout":
      return "hosted_timeout"
    case "too_large":
      return "source_map_too_large"
    case "encoding":
    case "protocol":
      return "hosted_http_error"
    case "invalid_url":
    case "name_not_found":
    case "connection":
    case "tls":
      return "hosted_unreachable"
  }
}
