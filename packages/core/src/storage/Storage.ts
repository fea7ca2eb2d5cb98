import { Context, type DateTime, type Effect } from "effect"
import type { ObjectStoreError } from "./ObjectStore.js"
import type { StorageError } from "./StorageError.js"

/** The transactions, the clock, the state and the maintenance, which all stores of a storage share. */
export class Storage extends Context.Service<
  Storage,
  {
    /**
     * Runs an effect so that all its writes become visible at once or, if it fails or is interrupted, not at all. A
     * nested transaction joins the outer one, which commits or rolls back both.
     *
     * `projectIds` has all projects whose data the effect reads or writes, if it uses no other data. A distributed storage
     * can then run the transaction on the server that has them.
     */
    readonly transaction: <A, E, R>(
      effect: Effect.Effect<A, E, R>,
      projectIds?: ReadonlyArray<number>,
    ) => Effect.Effect<A, E | StorageError, R>
    /** The time of the clock that all nodes of the storage share. Leases and the age of stored data follow it. */
    readonly now: Effect.Effect<DateTime.Utc, StorageError>
    /** Succeeds when the storage can be read and written now. */
    readonly ping: Effect.Effect<void, StorageError>
    /**
     * Prepares for future data, for example with a partition for next week. Safe to call at any time on several
     * nodes; cheap if there is nothing to do. Inserts do not depend on it.
     */
    readonly prepare: Effect.Effect<void, StorageError>
    /**
     * Moves the bodies of finished weeks to the object store, except those of the last `keptWeeks`, and cleans up the
     * store. Null only cleans up. Does nothing without an object store. Only one node may call it at a time. An
     * interrupted call continues with the next one.
     */
    readonly archive: (keptWeeks: number | null) => Effect.Effect<void, StorageError | ObjectStoreError>
  }
>()("@errata/core/storage/Storage") {}
