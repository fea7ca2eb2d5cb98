/** When a call is tried again, and after how long. Pure, and without Effect: both clients go by it. */

/** The number and the times of further attempts after a failed request. */
export interface RetryPolicy {
  /** How often at most a call is tried again; 0 for never. */
  readonly times: number
  /** How many milliseconds at most a call waits between all its tries together. */
  readonly maxTotalWait: number
  /** The wait before the first retry, in milliseconds, where the server names none. Each further one is twice as long. */
  readonly firstBackoff: number
}

export const defaultPolicy: RetryPolicy = { times: 3, maxTotalWait: 30_000, firstBackoff: 500 }

/** How a try ended: without an answer, or with one. */
export type Outcome =
  | { readonly _tag: "NoAnswer" }
  | {
      readonly _tag: "Answer"
      readonly status: number
      readonly retryAfter: string | null
      /** The server's clock, to which a `Retry-After` that is a date belongs. */
      readonly date: string | null
    }

export interface Try {
  readonly method: string
  readonly outcome: Outcome
  /** How often the call was tried again before this. */
  readonly retries: number
  /** Milliseconds that the call has waited so far. */
  readonly waited: number
}

/**
 * How many milliseconds to wait before the next try; null where there is none. What was asked to come back later
 * (429, 503) was not done, whatever its method; what got no answer may have been done, so that only methods that may
 * be repeated are.
 */
export const nextWait = (
  policy: RetryPolicy,
  { method, outcome, retries, waited }: Try,
  now: number,
  /** From 0 up to 1. */
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

/** `Retry-After` in milliseconds from now: seconds, or one of the three forms of HTTP dates; null for anything else. */
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

// Half of it at random, so that callers who failed together do not come back together.
const backoff = ({ firstBackoff }: RetryPolicy, retries: number, random: number): number =>
  Math.round(firstBackoff * 2 ** retries * (0.5 + random / 2))

const httpDate = (text: string): number | null => {
  // Date.parse takes much more for a date; only the obsolete asctime form does not name its zone.
  if (!/^[A-Z][a-z]{2,8},? .*\d\d:\d\d:\d\d/.test(text)) return null
  const at = Date.parse(/GMT$/.test(text) ? text : `${text} GMT`)
  return Number.isNaN(at) ? null : at
}
