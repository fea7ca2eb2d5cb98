/** Source maps that are published beside their scripts, on origins that an admin authorized for a project. */
import type { ProjectId, StorageError } from "@errata/core"
import type { SourcemapFailureCode } from "@errata/core/internal"
import type { HostedMap } from "@errata/core/ports"
import { Context, Data, type Effect } from "effect"

/** No map could be fetched. It contains nothing from the other server. */
export class HostedMapUnavailable extends Data.TaggedError("HostedMapUnavailable")<{
  readonly code: SourcemapFailureCode
}> {}

/** Not used while recording, because another server may be slow. */
export class HostedMaps extends Context.Service<
  HostedMaps,
  {
    /**
     * Returns the map of a script, from the cache or from its origin. All nodes together fetch an address once. Addresses
     * without a web server, such as `app:///index.js`, are `artifact_not_uploaded`.
     */
    readonly find: (
      projectId: ProjectId,
      scriptUrl: string,
    ) => Effect.Effect<HostedMap, HostedMapUnavailable | StorageError>
  }
>()("@errata/sourcemap/HostedMaps") {}
