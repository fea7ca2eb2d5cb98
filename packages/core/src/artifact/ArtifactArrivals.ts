/** Notifications about newly available files. */
import { Context, Effect } from "effect"
import type { ProjectId } from "../project/Project.js"
import type { StorageError } from "../storage/StorageError.js"
import type { ArtifactBundleLink } from "./ArtifactBundle.js"

export interface ArtifactArrival extends ArtifactBundleLink {
  readonly projectId: ProjectId
  /** The files' debug ids, in lower case with hyphens. */
  readonly debugIds: ReadonlyArray<string>
}

/** Called when uploaded files become available. Does nothing by default. */
export const ArtifactArrivals = Context.Reference("@errata/core/artifact/ArtifactArrivals", {
  defaultValue: (): {
    /** Runs in the transaction that makes the files available; its writes commit with it. */
    readonly arrived: (arrival: ArtifactArrival) => Effect.Effect<void, StorageError>
  } => ({ arrived: () => Effect.void }),
})
