/** The retry policy of both clients, as pure functions. Does not import Effect. */

/** The number and the times of further attempts after a failed request. */
export interface RetryPolicy {
  /** Maximum number of retries; 0 disables them. */
  readonly times: number
  /** Maximum total wait of a call between attempts, in milliseconds. */
  readonly maxTotalWait: number
  /** First wait in milliseconds if the server sends no `Retry-After`. It doubles with each retry. */
  readonly firstBackoff: number
}

export const defaultPolicy: RetryPolicy = { times: 3, maxTotalWait: 30_000, firstBackoff: 500 }

/** The result of one attempt. */
export type Outcome =
  | { readonly _tag: "NoAnswer" }
  | {
      readonly _tag: "Answer"
      readonly status: number
      readonly retryAfter: string | null
      /** The `Date` header. A `Retry-After` date is relative to the server's clock. */
      readonly date: string | null
    }

export interface Try {
  readonly method: string
  readonly outcome: Outcome
  /** Number of retries before this attempt. */
  readonly retries: number
  /** Total wait of the call so far, in milliseconds. */
  readonly waited: number
}

/**
 * Returns the wait before the next attempt in milliseconds, or null if there is none. 429 and 503 mean that the request
 * was not processed, so every method is retried. A request without a response may have been processed, so only
 * idempotent methods are retried.
 */
export const nextWait = (
  policy: RetryPolicy,
  { method, outcome, retries, waited }: Try,
  now: number,
  /** From 0 to 1, exclusive. */
  random: number,
): number | null => {
  if (retries >= policy.times) return null
  const wait =
    outcome._tag === "NoAnswer"
      ? idempotent.has(method)
        ? backoff(policy, retries, random)
        : null
      : outcome.status === 429 || outcome.status === 503
        ? (retryAfterMillis(outcome.retryAfter, outcome.date, now) ?? backoff(policy, retries, random))
        : null
  return wait !== null && waited + wait <= policy.maxTotalWait ? wait : null
}

/** Returns `Retry-After` in milliseconds from now. Accepts seconds and the three HTTP date formats; else null. */
export const retryAfterMillis = (
  retryAfter: string | null,
  date: string | null,
  now: number,
): number | null => {
  const text = retryAfter?.trim() ?? ""
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const at = httpDate(text)
  return at === null ? null : Math.max(0, at - (httpDate(date?.trim() ?? "") ?? now))
}

// internal

const idempotent = new Set(["GET", "HEAD", "PUT", "DELETE"])

// With 50 % jitter, so that clients that failed together do not retry together.
const backoff = ({ firstBackoff }: RetryPolicy, retries: number, random: number): number =>
  Math.round(firstBackoff * 2 ** retries * (0.5 + random / 2))

const httpDate = (text: string): number | null => {
  // `Date.parse` accepts much more than HTTP dates. Only the obsolete asctime format has no time zone.
  if (!/^[A-Z][a-z]{2,8},? .*\d\d:\d\d:\d\d/.test(text)) return null
  const at = Date.parse(/GMT$/.test(text) ? text : `${text} GMT`)
  return Number.isNaN(at) ? null : at
}
