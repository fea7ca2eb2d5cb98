/** Looks up uploaded files for resolving frames. */
import { Context, type DateTime, type Effect } from "effect"
import type { ProjectId } from "../project/Project.js"
import type { StorageError } from "../storage/StorageError.js"

/** The file type in a bundle's manifest. */
export type ArtifactType = "source" | "minified_source" | "source_map" | "indexed_ram_bundle"

/** A file of a bundle, without its content. */
export interface ArtifactFile {
  readonly bundleId: number
  readonly type: ArtifactType
  /** Name from the uploader, such as `~/assets/app.js`; null if only the debug id is known. */
  readonly url: string | null
  /** A UUID in lower case with hyphens. */
  readonly debugId: string | null
  /** The source map reference of a script, relative to `url`. */
  readonly mapReference: string | null
  /** Size of the content in bytes. */
  readonly size: number
  /** The key of the content in `BlobStore`. */
  readonly blob: string
}

/** Bounds a lookup by name. A release that is rebuilt under the same name has an unlimited number of bundles. */
export const maxBundlesLookedInto = 100

/** Looks up uploaded files. Each call runs a fixed number of statements, regardless of its input. */
export class ArtifactFiles extends Context.Service<
  ArtifactFiles,
  {
    /** The projects that have any files. Lookups in others can be skipped. */
    readonly projectsWithFiles: (
      projectIds: ReadonlyArray<ProjectId>,
    ) => Effect.Effect<ReadonlySet<ProjectId>, StorageError>

    /**
     * Files with these debug ids, newest bundle first. Files that have an id as a secondary one follow, if no file has
     * it as its own. `debugId` of the result is the requested id.
     */
    readonly findByDebugIds: (
      projectId: ProjectId,
      debugIds: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyArray<ArtifactFile>, StorageError>

    /**
     * Files with these names in bundles of a release. Bundles with this dist come first, then those without a dist; the
     * most recently uploaded first. At most `maxBundlesLookedInto` bundles of each kind are searched.
     */
    readonly findByNames: (
      projectId: ProjectId,
      release: string,
      dist: string,
      names: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyArray<ArtifactFile>, StorageError>

    /** Records that bundles were used. Retention counts their age from then on. */
    readonly markUsed: (
      projectId: ProjectId,
      bundleIds: ReadonlyArray<number>,
      now: DateTime.Utc,
    ) => Effect.Effect<void, StorageError>
  }
>()("@errata/core/artifact/ArtifactFiles") {}
