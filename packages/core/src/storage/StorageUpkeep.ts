import { Context, type Effect } from "effect"
import type { ObjectStoreError } from "./ObjectStore.js"
import type { StorageError } from "./StorageError.js"

/** Maintenance that a storage needs regularly. */
export class StorageUpkeep extends Context.Service<
  StorageUpkeep,
  {
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
>()("@errata/core/storage/StorageUpkeep") {}
