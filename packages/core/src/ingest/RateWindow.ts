/**
 * The instance's budget of errors in a clock minute, which all nodes draw on. A node draws some ahead and spends them
 * from memory, so that accepting an error asks nobody. The minute is that of the storage's clock.
 */
import { Context, type Effect } from "effect"
import type { StorageError } from "../storage/StorageError.js"

/** The part of a minute's errors that a node requests. */
export interface RateDraw {
  /** What a minute may have in all. */
  readonly limit: number
  /** So many errors wait for an answer: they are given if they are left. */
  readonly needed: number
  /** What the node would like to have ahead; it gets an eighth of what is left at most. */
  readonly wanted: number
  /** What it has not used of an earlier grant, and gives back; counts only in that grant's minute. */
  readonly returned: { readonly minute: number; readonly errors: number }
}

/** The part of a minute's errors that a node received. */
export interface RateGrant {
  /** The minute that the grant is for: epoch milliseconds of its beginning. */
  readonly minute: number
  readonly granted: number
  /** What is left of the minute for others. */
  readonly remaining: number
  /** Milliseconds until the minute ends. */
  readonly endsIn: number
}

/** Shares the errors that one clock minute may have among all nodes. */
export class RateWindow extends Context.Service<
  RateWindow,
  {
    /** Takes a part of the current minute's budget. The grants of one minute never exceed the limit together. */
    readonly draw: (request: RateDraw) => Effect.Effect<RateGrant, StorageError>
  }
>()("@errata/core/ingest/RateWindow") {}

/** How much of what is left is granted: the rule that every storage follows. */
export const grantOf = (remaining: number, { needed, wanted }: RateDraw): number =>
  Math.min(remaining, Math.max(needed, Math.min(wanted, Math.ceil(remaining / sharesLeft))))

/** What one node has and does not use is missed by the others: the less is left, the smaller are the slices. */
export const sharesLeft = 8
