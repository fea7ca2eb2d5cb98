/** Source maps that are published beside their scripts, fetched from origins that an admin authorised for a project. */
import { Context, Data, type Effect } from "effect"
import type { ProjectId } from "../project/Project.js"
import type { StorageError } from "../storage/StorageError.js"
import type { SourcemapFailureCode } from "./SourcemapFailure.js"

export interface HostedMap {
  /** The map's JSON in UTF-8, without a guard before it. */
  readonly json: Uint8Array
  /** Where it was found, after redirects. */
  readonly url: string
}

/** There is none to be had. Nothing of what a foreign server said is in it. */
export class HostedMapUnavailable extends Data.TaggedError("HostedMapUnavailable")<{
  readonly code: SourcemapFailureCode
}> {}

/** Never asked while a payload is being recorded: a foreign server may take its time. */
export class HostedMaps extends Context.Service<
  HostedMaps,
  {
    /**
     * The map of a script, from the cache or from its origin; one fetch of an address at a time across nodes. What is in no
     * page, such as `app:///index.js`, is `artifact_not_uploaded`.
     */
    readonly find: (
      projectId: ProjectId,
      scriptUrl: string,
    ) => Effect.Effect<HostedMap, HostedMapUnavailable | StorageError>
  }
>()("@errata/core/sourcemap/HostedMaps") {}
