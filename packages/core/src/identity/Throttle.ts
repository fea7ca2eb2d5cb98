/** Rate limits for attempts. Attempts are counted before they run, so concurrent ones cannot exceed a limit. */
import { Duration, Effect, Schema } from "effect"
import { sha256 } from "../access/Secrets.js"
import { RateLimitStore } from "../storage/RateLimitStore.js"

/** A limit of attempts is reached. */
export class TooManyAttempts extends Schema.TaggedError<TooManyAttempts>()("TooManyAttempts", {
  /** Seconds until the limit resets. */
  retryAfter: Schema.Number,
}) {}

export interface Bound {
  /** The action and its subject, which together identify a counter. */
  readonly what: string
  readonly whose: string
  readonly limit: number
  readonly window: Duration.Duration
}

/**
 * Counts an attempt against each bound in order, and fails at the first that is reached. Put the bound of the address
 * first: it limits how many counters an address can create.
 */
export const attempt = (bounds: ReadonlyArray<Bound>) =>
  Effect.gen(function* () {
    const throttles = yield* RateLimitStore
    for (const bound of bounds) {
      const { after, allowed } = yield* throttles.take(keyOf(bound), bound.limit, bound.window)
      if (!allowed) {
        return yield* new TooManyAttempts({ retryAfter: Math.max(1, Math.ceil(Duration.toSeconds(after))) })
      }
    }
  })

export const forget = (bound: Bound) =>
  Effect.flatMap(RateLimitStore, (throttles) => throttles.reset(keyOf(bound)))

/**
 * The subscriber of an IP address. For IPv6 these are the first 64 bits, because a subscriber controls all addresses
 * below. Texts that are no addresses are used as they are.
 */
export const subscriberOf = (address: string): string => {
  const text = address.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "")
  if (!text.includes(":")) return text
  const [head = "", tail] = text.toLowerCase().split("::")
  const groups = head === "" ? [] : head.split(":")
  if (tail !== undefined) {
    const rest = tail === "" ? [] : tail.split(":")
    while (groups.length + rest.length < 8) groups.push("0")
    groups.push(...rest)
  }
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":")}::/64`
}

/**
 * The account of an email address. Databases fold case differently (some read `İ` as `i`), so all variants that any
 * of them treats as equal share a counter.
 */
export const accountOf = (emailAddress: string): string =>
  emailAddress.trim().normalize("NFKD").replace(/\p{M}/gu, "").toUpperCase().toLowerCase()

// internal

/** Hashed, so that keys contain no user input. */
const keyOf = ({ what, whose }: Bound): string => `${what}:${sha256(whose)}`
