import { Context, type Effect } from "effect"
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
  }
>()("@errata/core/storage/StorageUpkeep") {}
