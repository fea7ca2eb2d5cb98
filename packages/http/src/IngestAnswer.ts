/** Responses to Sentry clients. Plain values, since thousands are created per second. */
import type { IntakePaused, IntakePauseReason } from "@errata/core"
import {
  corsHeaders,
  corsPreflightHeaders,
  formatRateLimits,
  rejectionStatus,
  type SentryEndpoint,
  type SentryRejection,
} from "@errata/sentry"
import type { PlainAnswer } from "./PlainAnswer.js"

export type IngestAnswer = PlainAnswer

/** The event is durable. */
export const accepted = (eventId: string): IngestAnswer => ({
  status: 200,
  headers: acceptedHeaders,
  body: `{"id":"${eventId}"}`,
})

/** The response without an id: nothing was stored, or only items without an id, such as client reports. */
export const nothing: IngestAnswer = json(200, {})

/** For `GET`, which image elements send. */
export const pixel: IngestAnswer = answer(
  200,
  "image/gif",
  Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64"),
)

export const preflight: IngestAnswer = {
  status: 204,
  headers: { ...common(), ...corsPreflightHeaders },
  body: "",
}

export const methodNotAllowed = (endpoint: SentryEndpoint): IngestAnswer => {
  const allow = endpoint === "store" ? "GET, POST, OPTIONS" : "POST, OPTIONS"
  return json(405, { detail: "Method not allowed", causes: ["method_not_allowed"] }, { allow })
}

export const rejected = (rejection: SentryRejection): IngestAnswer =>
  json(
    rejectionStatus(rejection),
    { detail: rejection.detail, causes: [rejection.reason] },
    {
      "x-sentry-error": rejection.reason,
      ...(rejection.reason === "missing_key" ? { "www-authenticate": "Sentry" } : {}),
    },
  )

/** No project has the key, or the key belongs to another project. */
export const unknownKey: IngestAnswer = refused(403, "invalid_key", "Unknown project or key")

export const missingKey: IngestAnswer = refused(401, "missing_key", "The request has no key", {
  "www-authenticate": "Sentry",
})

export const tooLarge: IngestAnswer = refused(413, "too_large", "The body is too large")

export const incomplete: IngestAnswer = refused(400, "incomplete", "The body ended early")

/** Closes the connection, so that the rest of the body is not received. */
export const tooSlow: IngestAnswer = refused(408, "too_slow", "The body arrived too slowly", {
  connection: "close",
})

export const unavailable: IngestAnswer = refused(
  503,
  "unavailable",
  "Events cannot be stored at the moment. Try again later",
  {
    "retry-after": "5",
  },
)

/** Ingest protection rejects the request. Clients stop sending for the given time. */
export const paused = ({ reason, retryAfterSeconds }: IntakePaused): IngestAnswer =>
  refused(429, pauses[reason].code, pauses[reason].detail, {
    "retry-after": String(retryAfterSeconds),
    "x-sentry-rate-limits": formatRateLimits([
      {
        retryAfterSeconds,
        categories: pauses[reason].categories,
        scope: "organization",
        reason: pauses[reason].code,
      },
    ]),
  })

/** An unexpected failure. The id finds the cause in the log. */
export const failed = (correlationId: string): IngestAnswer =>
  answer(
    500,
    "application/problem+json",
    JSON.stringify({
      type: "about:blank",
      title: "Internal Server Error",
      status: 500,
      correlation_id: correlationId,
    }),
  )

// internal

const pauses: Readonly<
  Record<IntakePauseReason, { code: string; detail: string; categories: ReadonlyArray<string> }>
> = {
  disk: {
    code: "disk_full",
    detail: "The intake is paused: the disk has too little free space",
    categories: [],
  },
  queue: { code: "queue_full", detail: "The intake is paused: the queue is full", categories: [] },
  rate: {
    code: "rate_limited",
    detail: "The rate limit of this minute is reached",
    // The categories of reports and their attachments. Client reports are still accepted.
    categories: ["default", "error", "security", "attachment", "feedback"],
  },
}

function common(): Record<string, string> {
  return {
    ...corsHeaders,
    "cache-control": "no-store",
    "cross-origin-resource-policy": "cross-origin",
    "x-content-type-options": "nosniff",
  }
}

/** Adds the common headers. */
export function answer(
  status: number,
  contentType: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): IngestAnswer {
  return {
    status,
    headers: {
      ...common(),
      "content-type": contentType,
      "content-length": String(Buffer.byteLength(body)),
      ...headers,
    },
    body,
  }
}

export function json(
  status: number,
  body: Readonly<Record<string, unknown>>,
  headers?: Readonly<Record<string, string>>,
): IngestAnswer {
  return answer(status, "application/json", JSON.stringify(body), headers)
}

function refused(
  status: number,
  reason: string,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): IngestAnswer {
  return json(status, { detail, causes: [reason] }, { "x-sentry-error": reason, ...headers })
}

const acceptedHeaders = answer(200, "application/json", `{"id":"${"0".repeat(32)}"}`).headers
