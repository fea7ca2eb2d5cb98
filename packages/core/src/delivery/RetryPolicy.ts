/**
 * The retry schedule of deliveries. Ten attempts (the setting `webhooks.maxAttempts`), with pauses of 10 s, 30 s, 90 s
 * and so on up to 6 hours, each up to a quarter longer. `Retry-After` of a response can lengthen a pause, up to one hour.
 * Payloads that may crash the recorder have a schedule of their own: `ingest/SuspectRetries.ts`.
 */
import { Context, Duration } from "effect"

/** The shortest and the longest pause. Tests shorten them. */
export const RetryPauses = Context.Reference("@errata/core/delivery/RetryPauses", {
  defaultValue: () => ({ first: Duration.seconds(10), longest: Duration.hours(6) }),
})

/** Statuses worth a retry: the receiver was too slow, too early, too busy, or is broken. */
export const isRetried = (status: number): boolean =>
  status === 408 || status === 425 || status === 429 || (status >= 500 && status <= 599)

/**
 * The pause after a number of attempts; null after the last. Pauses triple up to the longest one. `random`, from 0 to
 * 1, adds up to a quarter, so that messages that failed together are not retried together.
 */
export const pauseAfter = (
  attempts: number,
  maxAttempts: number,
  pauses: { readonly first: Duration.Duration; readonly longest: Duration.Duration },
  retryAfter: Duration.Duration | null,
  random: number,
): Duration.Duration | null => {
  if (attempts >= maxAttempts) return null
  const longest = Duration.toMillis(pauses.longest)
  const regular = Math.min(Duration.toMillis(pauses.first) * 3 ** (attempts - 1), longest / 1.25)
  const asked = retryAfter === null ? 0 : Math.min(Duration.toMillis(retryAfter), longestAsked)
  return Duration.millis(Math.ceil(Math.max(regular * (1 + random / 4), asked)))
}

/** Parses a `Retry-After` header: seconds or a date. Null if it is invalid or past. */
export const readRetryAfter = (text: string | undefined, now: number): Duration.Duration | null => {
  if (text === undefined) return null
  if (/^\d{1,10}$/.test(text.trim())) return Duration.seconds(Number(text))
  // All three date formats of HTTP begin with the name of a day; the parser accepts many others.
  const at = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) || at <= now ? null : Duration.millis(at - now)
}

// internal

const longestAsked = 60 * 60 * 1000
