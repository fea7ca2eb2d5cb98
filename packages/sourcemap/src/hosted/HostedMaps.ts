/** Source maps that are published beside their scripts, fetched from origins that an admin authorised for a project. */
import type { HostedMap, ProjectId, SourcemapFailureCode, StorageError } from "@errata/core"
import { Context, Data, type Effect } from "effect"

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
>()("@errata/sourcemap/HostedMaps") {}
