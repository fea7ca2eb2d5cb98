import { Context, type DateTime, type Effect } from "effect"
import type { StorageError } from "./StorageError.js"

/** The transactions, the clock and the state that all stores of a storage share. */
export class Storage extends Context.Service<
  Storage,
  {
    /**
     * Runs an effect so that all its writes become visible at once or, if it fails or is interrupted, not at all. A
     * nested transaction joins the outer one, which commits or rolls back both.
     */
    readonly transaction: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StorageError, R>
    /** The time of the clock that all nodes of the storage share. Leases and the age of stored data follow it. */
    readonly now: Effect.Effect<DateTime.Utc, StorageError>
    /** Succeeds when the storage can be read and written now. */
    readonly ping: Effect.Effect<void, StorageError>
  }
>()("@errata/core/storage/Storage") {}
