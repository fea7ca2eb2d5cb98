/** Headers of every response to a Sentry client. Browsers can read rate limits only with CORS headers. */

/** For every response of an ingest endpoint. */
export const corsHeaders: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "x-sentry-error, x-sentry-rate-limits, retry-after",
}

/** For responses to `OPTIONS`, in addition to `corsHeaders`. */
export const corsPreflightHeaders: Readonly<Record<string, string>> = {
  "access-control-allow-methods": "GET, POST, OPTIONS",
  "access-control-allow-headers":
    "x-sentry-auth, x-requested-with, x-forwarded-for, origin, referer, accept, content-type, authentication, " +
    "authorization, content-encoding, transfer-encoding, sentry-trace, baggage",
  "access-control-max-age": "3600",
}

/** The event categories that an SDK must hold back, and the duration. */
export interface SentryRateLimit {
  readonly retryAfterSeconds: number
  /** Empty means all, e.g. `["error", "attachment"]`. */
  readonly categories: ReadonlyArray<string>
  readonly scope: "organization" | "project" | "key"
  readonly reason: string
}

/**
 * The value of `X-Sentry-Rate-Limits`.
 *
 * May go on any status; `Retry-After` must go on 429 only, since the JavaScript SDK applies it to every category.
 */
export const formatRateLimits = (limits: ReadonlyArray<SentryRateLimit>): string =>
  limits
    .map(
      (limit) =>
        `${Math.max(1, Math.ceil(limit.retryAfterSeconds))}:${limit.categories.join(";")}:${limit.scope}:${limit.reason}`,
    )
    .join(", ")
