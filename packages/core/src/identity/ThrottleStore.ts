import { Context, type Duration, type Effect } from "effect"
import type { StorageError } from "../storage/StorageError.js"

export interface Turn {
  readonly allowed: boolean
  /** Time until the counter resets. */
  readonly after: Duration.Duration
}

/** Counts attempts across all nodes, by the storage's clock. */
export class ThrottleStore extends Context.Service<
  ThrottleStore,
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
  }
>()("@errata/core/identity/ThrottleStore") {}
