/** How often something may be tried. Counted before it is tried, so that trying at once from everywhere helps nobody. */
import { Duration, Effect, Schema } from "effect"
import { sha256 } from "../access/Secrets.js"
import { ThrottleStore } from "./ThrottleStore.js"

/** It was tried too often. */
export class TooManyAttempts extends Schema.TaggedError<TooManyAttempts>()("TooManyAttempts", {
  /** Seconds until trying again makes sense. */
  retryAfter: Schema.Number,
}) {}

export interface Bound {
  /** What is counted, and of whom: together they are one count. */
  readonly what: string
  readonly whose: string
  readonly limit: number
  readonly window: Duration.Duration
}

/**
 * Counts an attempt against every bound, one after the other, and fails at the first that is reached. The order matters:
 * a count that comes after one of the address is opened no more often than that one allows.
 */
export const attempt = (bounds: ReadonlyArray<Bound>) =>
  Effect.gen(function* () {
    const throttles = yield* ThrottleStore
    for (const bound of bounds) {
      const { after, allowed } = yield* throttles.take(keyOf(bound), bound.limit, bound.window)
      if (!allowed) {
        return yield* new TooManyAttempts({ retryAfter: Math.max(1, Math.ceil(Duration.toSeconds(after))) })
      }
    }
  })

export const forget = (bound: Bound) =>
  Effect.flatMap(ThrottleStore, (throttles) => throttles.reset(keyOf(bound)))

/**
 * Who is behind an address. Of IPv6 the first 64 bits, as everybody has all addresses that begin with theirs; what is no
 * address counts as one.
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
 * The account that an email address names. Databases fold the case of letters differently (some read `İ` as `i`), so
 * all variants that any of them treats as equal count as one.
 */
export const accountOf = (emailAddress: string): string =>
  emailAddress.trim().normalize("NFKD").replace(/\p{M}/gu, "").toUpperCase().toLowerCase()

// internal

/** What people type stands in no key. */
const keyOf = ({ what, whose }: Bound): string => `${what}:${sha256(whose)}`
