/** The decision whether an attempt is repeated, and when. */
import { Duration } from "effect"

export interface RetrySettings {
  readonly maxAttempts: number
  readonly firstPause: Duration.Duration
  readonly longestPause: Duration.Duration
}

/** Answers that another attempt may change: the receiver was too slow, too early, too busy, or is broken. */
export const isRetried = (status: number): boolean =>
  status === 408 || status === 425 || status === 429 || (status >= 500 && status <= 599)

/**
 * How long to wait after so many attempts; null where there is none more. The pause triples, up to the longest one.
 * `random`, from 0 to 1, lengthens it by up to a quarter, so that messages that failed together are not repeated together.
 */
export const pauseAfter = (
  attempts: number,
  settings: RetrySettings,
  retryAfter: Duration.Duration | null,
  random: number,
): Duration.Duration | null => {
  if (attempts >= settings.maxAttempts) return null
  const longest = Duration.toMillis(settings.longestPause)
  const regular = Math.min(Duration.toMillis(settings.firstPause) * 3 ** (attempts - 1), longest / 1.25)
  const asked = retryAfter === null ? 0 : Math.min(Duration.toMillis(retryAfter), longestAsked)
  return Duration.millis(Math.ceil(Math.max(regular * (1 + random / 4), asked)))
}

/** Reads a `Retry-After`: seconds, or a date. Null where it is neither, or past. */
export const readRetryAfter = (text: string | undefined, now: number): Duration.Duration | null => {
  if (text === undefined) return null
  if (/^\d{1,10}$/.test(text.trim())) return Duration.seconds(Number(text))
  // All three forms that HTTP knows begin with the name of a day; the parser takes much else.
  const at = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) || at <= now ? null : Duration.millis(at - now)
}

// internal

const longestAsked = 60 * 60 * 1000
