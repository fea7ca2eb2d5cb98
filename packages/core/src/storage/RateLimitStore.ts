import { Context, type Duration, type Effect } from "effect"
import type { StorageError } from "./StorageError.js"

/** A node's request for a slice of the current minute. */
export interface RateDraw {
  /** The limit per minute. */
  readonly limit: number
  /** Errors that wait for an answer. They are granted if the minute has enough left. */
  readonly needed: number
  /** Errors to draw ahead. At most an eighth of the remaining errors is granted. */
  readonly wanted: number
  /** The unused part of an earlier grant. It counts only in that grant's minute. */
  readonly returned: { readonly minute: number; readonly errors: number }
}

/** The slice that a node receives. */
export interface RateGrant {
  /** The minute of the grant: its beginning in epoch milliseconds. */
  readonly minute: number
  readonly granted: number
  /** Errors that remain in the minute for all nodes. */
  readonly remaining: number
  /** Milliseconds until the minute ends. */
  readonly endsIn: number
}

/** The answer to an attempt. */
export interface Turn {
  readonly allowed: boolean
  /** Time until the counter resets. */
  readonly after: Duration.Duration
}

/**
 * Counts attempts, and shares the rate limit of the instance: errors per clock minute. A node draws slices ahead and
 * spends them from memory, so accepting an error needs no query. Counts are those of all nodes, by the storage's clock.
 */
export class RateLimitStore extends Context.Service<
  RateLimitStore,
  {
    /**
     * Counts an attempt. It is allowed if it is among the first `limit` in the window, which begins with the first
     * attempt. Keys have at most 100 characters.
     */
    readonly take: (
      key: string,
      limit: number,
      window: Duration.Duration,
    ) => Effect.Effect<Turn, StorageError>

    /** Resets a counter. */
    readonly reset: (key: string) => Effect.Effect<void, StorageError>

    /** Deletes at most `limit` counters whose window has passed. Returns their number. */
    readonly expire: (limit: number) => Effect.Effect<number, StorageError>

    /** Draws a slice of the current minute. The grants of one minute never exceed the limit. */
    readonly draw: (request: RateDraw) => Effect.Effect<RateGrant, StorageError>
  }
>()("@errata/core/storage/RateLimitStore") {}

/** Returns the size of a grant. Every storage applies this rule. */
export const grantOf = (remaining: number, { needed, wanted }: RateDraw): number =>
  Math.min(remaining, Math.max(needed, Math.min(wanted, Math.ceil(remaining / sharesLeft))))

/** A node draws ahead at most one share of the remaining errors, because no other node can use them. */
export const sharesLeft = 8
