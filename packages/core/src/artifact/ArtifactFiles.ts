/** The uploaded files, as the mapping of frames looks them up. */
import { Context, type DateTime, type Effect } from "effect"
import type { ProjectId } from "../project/Project.js"
import type { StorageError } from "../storage/StorageError.js"

/** As the manifest of a bundle calls it. */
export type ArtifactType = "source" | "minified_source" | "source_map" | "indexed_ram_bundle"

/** A file of a bundle, without its content. */
export interface ArtifactFile {
  readonly bundleId: number
  readonly type: ArtifactType
  /** Its identity as the uploader says, e.g. `~/assets/app.js`; null where only its debug id is known. */
  readonly url: string | null
  /** A UUID in lower case with hyphens. */
  readonly debugId: string | null
  /** Of a script: where it says that its map is, relative to `url`. */
  readonly mapReference: string | null
  /** Bytes of the content. */
  readonly size: number
  /** What `BlobStore` knows the content by. */
  readonly blob: string
}

/** A release that is built again and again without a new name has bundles without end. */
export const maxBundlesLookedInto = 100

/** Looks uploaded files up. A fixed number of statements a call, however much is asked for. */
export class ArtifactFiles extends Context.Service<
  ArtifactFiles,
  {
    /** Those of these projects that have any file at all: for all others there is nothing to look for. */
    readonly projectsWithFiles: (
      projectIds: ReadonlyArray<ProjectId>,
    ) => Effect.Effect<ReadonlySet<ProjectId>, StorageError>

    /**
     * Files with these debug ids, those of the newest bundle first. A file that another id leads to as well has the one
     * that was asked for, and is only there where no file has that one as its own.
     */
    readonly findByDebugIds: (
      projectId: ProjectId,
      debugIds: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyArray<ArtifactFile>, StorageError>

    /**
     * Files with these names in bundles of a release: first of bundles with this dist, then of those without any; within
     * both those of the bundle first that was uploaded for it last. Of each, the last `maxBundlesLookedInto` count.
     */
    readonly findByNames: (
      projectId: ProjectId,
      release: string,
      dist: string,
      names: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyArray<ArtifactFile>, StorageError>

    /** Remembers that bundles were of use; retention counts their age from then on. */
    readonly markUsed: (
      projectId: ProjectId,
      bundleIds: ReadonlyArray<number>,
      now: DateTime.Utc,
    ) => Effect.Effect<void, StorageError>
  }
>()("@errata/core/artifact/ArtifactFiles") {}
