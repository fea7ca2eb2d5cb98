import { Context, type Effect } from "effect"
import type { ObjectStoreError } from "./ObjectStore.js"
import type { StorageError } from "./StorageError.js"

/** What a storage needs to have done from time to time, whatever is stored in it. */
export class StorageUpkeep extends Context.Service<
  StorageUpkeep,
  {
    /**
     * Makes room for what is to come, such as a part for next week's reports. May be called at any time, by several
     * nodes at once; where there is nothing to do it costs next to nothing. What comes is stored without it as well.
     */
    readonly prepare: Effect.Effect<void, StorageError>
    /**
     * Moves the bodies of finished weeks to the object store, except for this many last weeks, and cleans up the store.
     * With null, it moves nothing and only cleans up. Does nothing without an object store. One node at a time calls it.
     * It may be interrupted at any point, and continues with the next call.
     */
    readonly archive: (keptWeeks: number | null) => Effect.Effect<void, StorageError | ObjectStoreError>
  }
>()("@errata/core/storage/StorageUpkeep") {}
