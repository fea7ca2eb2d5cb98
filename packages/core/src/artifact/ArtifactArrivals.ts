/** Who hears that uploaded files can be used. */
import { Context, Effect } from "effect"
import type { ProjectId } from "../project/Project.js"
import type { StorageError } from "../storage/StorageError.js"
import type { ArtifactBundleLink } from "./ArtifactBundle.js"

export interface ArtifactArrival extends ArtifactBundleLink {
  readonly projectId: ProjectId
  /** Of the files, in lower case with hyphens. */
  readonly debugIds: ReadonlyArray<string>
}

/** Nobody hears of it unless somebody is provided. */
export const ArtifactArrivals = Context.Reference("@errata/core/artifact/ArtifactArrivals", {
  defaultValue: (): {
    /** In the transaction that makes the files available: what it writes is written with them, or not at all. */
    readonly arrived: (arrival: ArtifactArrival) => Effect.Effect<void, StorageError>
  } => ({ arrived: () => Effect.void }),
})
