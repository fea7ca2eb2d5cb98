/** Requests that Errata makes to addresses which somebody gave it. */
import { Context, type Duration, type Effect, Schema } from "effect"

/** A request to an address that a user entered. */
export interface OutboundRequest {
  readonly method: "GET" | "POST"
  /** `http` or `https`. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** For all of it: the look-up of the name, the connection, the answer to its last byte that is read. */
  readonly timeout: Duration.Duration
  /** Bytes of the answer's body that are read; what comes after them is not waited for. */
  readonly maxBodyBytes: number
}

/** What came back, whatever its status: redirects are not followed. */
export interface OutboundAnswer {
  readonly status: number
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** Something large and perhaps compressed, which is not worth having in part. */
export interface OutboundDownload {
  /** `http` or `https`. */
  readonly url: string
  /** Besides `accept-encoding`. */
  readonly headers: Readonly<Record<string, string>>
  /** For all of it, as of a request. */
  readonly timeout: Duration.Duration
  /** For what comes before the body. */
  readonly headersTimeout: Duration.Duration
  /** Bytes of the body, decoded as well as encoded: more is a failure. */
  readonly maxBytes: number
  /** Bytes of its end that are kept. The rest is read, and gone. */
  readonly tailBytes: number
}

/** An answer 200 was too large, or encoded in a way that nobody asked for, or not as it said. */
export class OutboundUnreadable extends Schema.TaggedError<OutboundUnreadable>()("OutboundUnreadable", {
  reason: Schema.Literals(["too_large", "encoding"]),
}) {}

/** Nothing was sent: the address may not be reached from here. The same request will be refused again. */
export class OutboundRefused extends Schema.TaggedError<OutboundRefused>()("OutboundRefused", {
  reason: Schema.Literals(["private_address", "invalid_url"]),
}) {}

/** There was no answer. The same request may get one later. `detail` is a code such as `ECONNREFUSED`. */
export class OutboundFailed extends Schema.TaggedError<OutboundFailed>()("OutboundFailed", {
  reason: Schema.Literals(["timeout", "name_not_found", "connection", "tls", "protocol"]),
  detail: Schema.String,
}) {}

/**
 * An HTTP client that reaches public addresses only, unless the operator allows others. The address that is checked is the
 * one that is connected to.
 */
export class OutboundClient extends Context.Service<
  OutboundClient,
  {
    readonly send: (
      request: OutboundRequest,
    ) => Effect.Effect<OutboundAnswer, OutboundRefused | OutboundFailed>

    /** A GET whose answer is decoded (gzip, brotli). Answers of another status than 200 have no body here. */
    readonly download: (
      download: OutboundDownload,
    ) => Effect.Effect<OutboundAnswer, OutboundRefused | OutboundFailed | OutboundUnreadable>
  }
>()("@errata/core/outbound/OutboundClient") {}
