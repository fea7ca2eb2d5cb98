import { Context, type DateTime, type Effect, type Option } from "effect"
import type { ProjectId } from "../project/Project.js"
import type { Page, PageRequest } from "../storage/Page.js"
import type { StorageError } from "../storage/StorageError.js"
import type { SourcemapOrigin, SourcemapOriginId } from "./SourcemapOrigin.js"

/** Keeps the origins that hosted source maps may be fetched from. */
export class SourcemapOriginStore extends Context.Service<
  SourcemapOriginStore,
  {
    /** Adds an origin; none where the project has it. */
    readonly insert: (
      projectId: ProjectId,
      origin: string,
      now: DateTime.Utc,
    ) => Effect.Effect<Option.Option<SourcemapOrigin>, StorageError>

    /** How many origins the project has. Whoever else asks this waits until the transaction ends. */
    readonly lockCount: (projectId: ProjectId) => Effect.Effect<number, StorageError>

    /** Newest first. */
    readonly list: (
      projectId: ProjectId,
      page: PageRequest,
    ) => Effect.Effect<Page<SourcemapOrigin>, StorageError>

    /** What was removed; none where the project has no such origin. */
    readonly remove: (
      projectId: ProjectId,
      id: SourcemapOriginId,
    ) => Effect.Effect<Option.Option<SourcemapOrigin>, StorageError>
  }
>()("@errata/core/sourcemap/SourcemapOriginStore") {}
