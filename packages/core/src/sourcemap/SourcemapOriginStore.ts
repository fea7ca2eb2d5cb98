import { Context, type DateTime, type Effect, type Option } from "effect"
import type { ProjectId } from "../project/Project.js"
import type { Page, PageRequest } from "../storage/Page.js"
import type { StorageError } from "../storage/StorageError.js"
import type { SourcemapOrigin, SourcemapOriginId } from "./SourcemapOrigin.js"

/** The port that stores the authorized origins of projects. */
export class SourcemapOriginStore extends Context.Service<
  SourcemapOriginStore,
  {
    /** Adds an origin. None if the project has it already. */
    readonly insert: (
      projectId: ProjectId,
      origin: string,
      now: DateTime.Utc,
    ) => Effect.Effect<Option.Option<SourcemapOrigin>, StorageError>

    /** Returns the number of the project's origins. Other calls wait until the transaction ends. */
    readonly lockCount: (projectId: ProjectId) => Effect.Effect<number, StorageError>

    /** Newest first. */
    readonly list: (
      projectId: ProjectId,
      page: PageRequest,
    ) => Effect.Effect<Page<SourcemapOrigin>, StorageError>

    /** Returns the removed origin. None if the project has no such origin. */
    readonly remove: (
      projectId: ProjectId,
      id: SourcemapOriginId,
    ) => Effect.Effect<Option.Option<SourcemapOrigin>, StorageError>
  }
>()("@errata/core/sourcemap/SourcemapOriginStore") {}
