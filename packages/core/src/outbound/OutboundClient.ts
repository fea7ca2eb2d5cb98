/** Requests to addresses that users entered. */
import { Context, type Duration, type Effect, Schema } from "effect"

/** A request to an address that a user entered. */
export interface OutboundRequest {
  readonly method: "GET" | "POST"
  /** `http` or `https`. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** From the name lookup to the last byte of the body that is read. */
  readonly timeout: Duration.Duration
  /** Maximum bytes of the body to read. The rest is not awaited. */
  readonly maxBodyBytes: number
}

/** A response of any status. Redirects are not followed. */
export interface OutboundAnswer {
  readonly status: number
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** A large, possibly compressed file that is useless in part. */
export interface OutboundDownload {
  /** `http` or `https`. */
  readonly url: string
  /** Besides `accept-encoding`. */
  readonly headers: Readonly<Record<string, string>>
  /** For the whole download. */
  readonly timeout: Duration.Duration
  /** From the name lookup to the headers of the response. */
  readonly headersTimeout: Duration.Duration
  /** Maximum size of the body, both encoded and decoded. A larger one fails. */
  readonly maxBytes: number
  /** Number of bytes to keep from the end of the body. The rest is read and dropped. */
  readonly tailBytes: number
}

/** A response with status 200 was too large, or its encoding was unsupported or broken. */
export class OutboundUnreadable extends Schema.TaggedError<OutboundUnreadable>()("OutboundUnreadable", {
  reason: Schema.Literals(["too_large", "encoding"]),
}) {}

/** The request was not sent because its address is not allowed. A retry fails too. */
export class OutboundRefused extends Schema.TaggedError<OutboundRefused>()("OutboundRefused", {
  reason: Schema.Literals(["private_address", "invalid_url"]),
}) {}

/** There was no response. A retry may succeed. `detail` is a code such as `ECONNREFUSED`. */
export class OutboundFailed extends Schema.TaggedError<OutboundFailed>()("OutboundFailed", {
  reason: Schema.Literals(["timeout", "name_not_found", "connection", "tls", "protocol"]),
  detail: Schema.String,
}) {}

/**
 * An HTTP client for public addresses, unless the operator allows others. It connects to the address that it checked,
 * which prevents DNS rebinding.
 */
export class OutboundClient extends Context.Service<
  OutboundClient,
  {
    readonly send: (
      request: OutboundRequest,
    ) => Effect.Effect<OutboundAnswer, OutboundRefused | OutboundFailed>

    /** Sends a GET and decodes the response (gzip, brotli). The body is empty unless the status is 200. */
    readonly download: (
      download: OutboundDownload,
    ) => Effect.Effect<OutboundAnswer, OutboundRefused | OutboundFailed | OutboundUnreadable>
  }
>()("@errata/core/outbound/OutboundClient") {}
