/** Keeps bundles of artifacts, what they belong to, and which contents they need. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { ProjectId } from "../project/Project.js"
import type { Page, PageRequest } from "../storage/Page.js"
import type { StorageError } from "../storage/StorageError.js"
import type { UserId } from "../user/User.js"
import type {
  ArtifactBundle,
  ArtifactBundleId,
  ArtifactBundleKind,
  ArtifactBundleLink,
  ListedArtifactFile,
  ReleaseFile,
} from "./ArtifactBundle.js"
import type { ArtifactType } from "./ArtifactFiles.js"
import type { BlobKey } from "./BlobStore.js"

/** A new file of a bundle. */
export interface NewArtifactFile {
  readonly type: ArtifactType
  readonly url: string | null
  readonly debugId: string | null
  /** Ids that it is found by where no file has them as its own. */
  readonly otherDebugIds: ReadonlyArray<string>
  readonly mapReference: string | null
  readonly size: number
  readonly blob: BlobKey
}

/** A new bundle. */
export interface NewArtifactBundle {
  readonly projectId: ProjectId
  readonly kind: ArtifactBundleKind
  readonly checksum: string
  readonly size: number
  readonly name: string | null
  readonly note: string | null
  readonly detail: string | null
  readonly uploadedBy: UserId | null
  readonly files: ReadonlyArray<NewArtifactFile>
}

/** A bundle that can be used, by the project that has it. */
export interface BundlePlace {
  readonly projectId: ProjectId
  readonly bundleId: ArtifactBundleId
}

/** A bundle that is stored now. */
export interface AdoptedBundle {
  readonly id: ArtifactBundleId
  /** Whether the project did not have it before. */
  readonly isNew: boolean
}

/** A content that is stored, and its bytes. */
export interface StoredBlob {
  readonly key: BlobKey
  readonly bytes: number
}

/** Bytes of contents where they are kept. */
export interface BlobBytes {
  readonly stored: number
  /** Of those that a bundle needs. */
  readonly needed: number
}

/** Keeps bundles of artifacts, what they belong to, and which contents they need. */
export class ArtifactStore extends Context.Service<
  ArtifactStore,
  {
    /** A bundle with this checksum that can be used, of one of these projects that are not deleted; of all where null. */
    readonly findByChecksum: (
      kind: ArtifactBundleKind,
      checksum: string,
      projectIds: ReadonlyArray<number> | null,
    ) => Effect.Effect<Option.Option<BundlePlace>, StorageError>

    /**
     * Has a project have a bundle of another one, or of itself, and keeps it from being removed until the transaction ends;
     * none where the bundle is gone by now.
     */
    readonly adopt: (
      from: BundlePlace,
      projectId: ProjectId,
      by: UserId | null,
      now: DateTime.Utc,
    ) => Effect.Effect<Option.Option<AdoptedBundle>, StorageError>

    /**
     * Adds a bundle with its files, in place of failed ones with its checksum. Where the project has one that can be used,
     * but for files of releases, it is that one.
     */
    readonly insert: (
      bundle: NewArtifactBundle,
      now: DateTime.Utc,
    ) => Effect.Effect<ArtifactBundleId, StorageError>

    /** Says what a bundle belongs to, besides what it belongs to already; answers whether that is new. */
    readonly link: (
      place: BundlePlace,
      link: ArtifactBundleLink,
      now: DateTime.Utc,
    ) => Effect.Effect<boolean, StorageError>

    /** Adds a bundle that could not be read, in place of the one with its checksum. The last 1,000 of a project are kept. */
    readonly insertFailed: (
      bundle: Omit<NewArtifactBundle, "files">,
      link: ArtifactBundleLink,
      now: DateTime.Utc,
    ) => Effect.Effect<ArtifactBundleId, StorageError>

    /** Newest first. */
    readonly list: (
      projectId: ProjectId,
      page: PageRequest,
    ) => Effect.Effect<Page<ArtifactBundle>, StorageError>

    readonly find: (
      projectId: ProjectId,
      id: ArtifactBundleId,
    ) => Effect.Effect<Option.Option<ArtifactBundle>, StorageError>

    /** In the order of the bundle; without those that only other debug ids lead to. */
    readonly files: (
      projectId: ProjectId,
      id: ArtifactBundleId,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<ListedArtifactFile>, StorageError>

    /** The debug ids that a bundle has files for. */
    readonly debugIds: (place: BundlePlace) => Effect.Effect<ReadonlyArray<string>, StorageError>

    /** Whether the project had the bundle. */
    readonly remove: (projectId: ProjectId, id: ArtifactBundleId) => Effect.Effect<boolean, StorageError>

    /** Files of a release that were uploaded by themselves, newest first. */
    readonly releaseFiles: (
      projectId: ProjectId,
      release: string,
      page: PageRequest,
    ) => Effect.Effect<Page<ReleaseFile>, StorageError>

    /** Adds a file of a release, in place of the one with its name and dist. */
    readonly replaceReleaseFile: (
      bundle: NewArtifactBundle,
      link: ArtifactBundleLink,
      now: DateTime.Utc,
    ) => Effect.Effect<ArtifactBundleId, StorageError>

    /** Removes files of a release that were uploaded by themselves: one, or all; answers how many. */
    readonly removeReleaseFiles: (
      projectId: ProjectId,
      release: string,
      id: ArtifactBundleId | null,
    ) => Effect.Effect<number, StorageError>

    /** Removes bundles that failed before a moment, up to so many of them; answers how many. */
    readonly removeFailed: (before: DateTime.Utc, limit: number) => Effect.Effect<number, StorageError>

    /**
     * Removes up to so many bundles of all projects, those first that were used or uploaded the longest ago; with `before`
     * only those older than it. Answers how many.
     */
    readonly removeOldest: (before: DateTime.Utc | null, limit: number) => Effect.Effect<number, StorageError>

    /** The releases that bundles of a project belong to, each once. */
    readonly linkedReleases: (projectId: ProjectId) => Effect.Effect<ReadonlyArray<string>, StorageError>

    /**
     * Removes the bundles of a project that belong to nothing but these releases; answers how many. Bundles without a
     * release stay.
     */
    readonly removeOfReleases: (
      projectId: ProjectId,
      releases: ReadonlyArray<string>,
    ) => Effect.Effect<number, StorageError>

    /**
     * Says that contents are about to be put, so that they are not removed for want of a bundle for an hour. Answers those
     * that are being removed at this moment: they are to be asked for again.
     */
    readonly announceBlobs: (
      keys: ReadonlyArray<BlobKey>,
      now: DateTime.Utc,
    ) => Effect.Effect<ReadonlyArray<BlobKey>, StorageError>

    /** Says how many bytes contents take where they are kept. */
    readonly storedBlobs: (blobs: ReadonlyArray<StoredBlob>) => Effect.Effect<void, StorageError>

    /**
     * Takes up to so many contents that no bundle needs and that were announced before `before`; and behind them, those
     * first that were taken first, contents that somebody took before `abandoned` and has not forgotten. Nobody announces
     * them until they are forgotten.
     */
    readonly takeUnneeded: (
      before: DateTime.Utc,
      abandoned: DateTime.Utc,
      now: DateTime.Utc,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<BlobKey>, StorageError>

    /** Forgets contents that were taken and are removed. */
    readonly forgetBlobs: (keys: ReadonlyArray<BlobKey>) => Effect.Effect<void, StorageError>

    readonly blobBytes: Effect.Effect<BlobBytes, StorageError>
  }
>()("@errata/core/artifact/ArtifactStore") {}
