/** Who calls from within the process. */
import type { Actor, NotSignedIn, StorageError } from "@errata/core"
import { Context, type Effect } from "effect"

/**
 * The actor of a request that the process makes of itself, whatever the request carries; null for all that come from
 * elsewhere. It is given beside the request, where no network can put it.
 */
export const LocalCaller = Context.Reference("@errata/http/LocalCaller", {
  defaultValue: (): Effect.Effect<Actor, NotSignedIn | StorageError> | null => null,
})
