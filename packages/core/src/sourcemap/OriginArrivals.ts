/** Notified when an origin is authorized. */
import { Context, Effect } from "effect"
import type { ProjectId } from "../project/Project.js"
import type { StorageError } from "../storage/StorageError.js"

/** Does nothing unless a listener is provided. */
export const OriginArrivals = Context.Reference("@errata/core/sourcemap/OriginArrivals", {
  defaultValue: (): {
    /** Runs in the transaction that authorizes an origin for the project. */
    readonly authorized: (projectId: ProjectId) => Effect.Effect<void, StorageError>
  } => ({ authorized: () => Effect.void }),
})
