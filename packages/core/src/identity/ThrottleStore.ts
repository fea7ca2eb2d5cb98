import { Context, type Duration, type Effect } from "effect"
import type { StorageError } from "../storage/StorageError.js"

export interface Turn {
  readonly allowed: boolean
  /** When the count begins anew. */
  readonly after: Duration.Duration
}

/** Counts attempts, for all nodes together and by the storage's clock. */
export class ThrottleStore extends Context.Service<
  ThrottleStore,
  {
    /**
     * Counts one attempt and tells whether it is among the first so many in its window, which begins with the first.
     * Keys are of at most 100 characters.
     */
    readonly take: (
      key: string,
      limit: number,
      window: Duration.Duration,
    ) => Effect.Effect<Turn, StorageError>

    /** Begins to count anew. */
    readonly reset: (key: string) => Effect.Effect<void, StorageError>

    /** Removes at most so many counts whose window is over; answers how many. */
    readonly expire: (limit: number) => Effect.Effect<number, StorageError>
  }
>()("@errata/core/identity/ThrottleStore") {}
