/** Posts envelopes to a server. */
import { Data, Effect } from "effect"
import type { Dsn } from "./Dsn.js"
import type { DiscardReason } from "./Envelope.js"
import { pauseOf } from "./RateLimits.js"

/** An event that the server did not accept. */
export class Undelivered extends Data.TaggedError("Undelivered")<{
  readonly reason: DiscardReason
  readonly message: string
  /** True if another attempt may succeed. */
  readonly isTemporary: boolean
  /** Throttling requested by the server, in milliseconds. */
  readonly pause: number
}> {}

export interface TransportOptions {
  readonly dsn: Dsn
  readonly fetch: typeof globalThis.fetch
}

/** Sends an event. Returns the throttling requested by the server, in milliseconds. */
export const post = (
  { dsn, fetch }: TransportOptions,
  envelope: Uint8Array<ArrayBuffer>,
  now: number,
): Effect.Effect<number, Undelivered> =>
  Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(dsn.url, {
        method: "POST",
        body: envelope,
        headers: headersOf(dsn),
        signal,
      })
      // A connection can be used again only after its response is read.
      await response.arrayBuffer()
      return response
    },
    catch: (error) => unreachable(`${dsn.url} is unreachable: ${reasonOf(error)}`),
  }).pipe(
    Effect.timeoutOrElse({
      duration: requestTimeout,
      orElse: () => Effect.fail(unreachable(`${dsn.url} did not respond within ${requestTimeout}`)),
    }),
    Effect.flatMap((response) => outcomeOf(response, now)),
  )

// internal

const requestTimeout = "10 seconds"

const headersOf = ({ key }: Dsn) => ({
  "content-type": "application/x-sentry-envelope",
  "x-sentry-auth": `Sentry sentry_version=7, sentry_client=errata-effect/0.1.0, sentry_key=${key}`,
})

const unreachable = (message: string) =>
  new Undelivered({ reason: "network_error", message, isTemporary: true, pause: 0 })

/** The error of `fetch` has no details. Its cause has them. */
const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error
    ? cause.message || String((cause as NodeJS.ErrnoException).code)
    : String(cause)
}

const outcomeOf = (response: Response, now: number): Effect.Effect<number, Undelivered> => {
  const pause = pauseOf(response, now)
  if (response.ok) return Effect.succeed(pause)
  const isLimit = response.status === 429
  const detail = response.headers.get("x-sentry-error")
  return Effect.fail(
    new Undelivered({
      reason: isLimit ? "ratelimit_backoff" : "send_error",
      message: `${response.url} responded with ${response.status}${detail === null ? "" : ` (${detail})`}${adviceOf(response.status)}`,
      isTemporary: isLimit || response.status >= 500 || response.status === 408,
      pause,
    }),
  )
}

const adviceOf = (status: number): string => {
  if (status === 401 || status === 403) return ". Check the key in the DSN."
  return status === 404 ? ". Check the host, the path and the project in the DSN." : ""
}
