/** Stores bundles of artifacts, their links to releases, the contents they need, and the chunks of uploads. */
import { Context, type DateTime, type Duration, type Effect, type Option } from "effect"
import type { ProjectId } from "../project/Project.js"
import type { Page, PageRequest } from "../storage/Page.js"
import type { StorageError } from "../storage/StorageError.js"
import type { UserId } from "../user/User.js"
import type {
  ArtifactBundle,
  ArtifactBundleId,
  ArtifactBundleKind,
  ArtifactBundleLink,
  ArtifactType,
  ListedArtifactFile,
  ReleaseFile,
} from "./ArtifactBundle.js"
import type { BlobKey } from "./BlobStore.js"

/** A new file of a bundle. */
export interface NewArtifactFile {
  readonly type: ArtifactType
  readonly url: string | null
  readonly debugId: string | null
  /** Secondary ids. They find the file if no other file has them as its own. */
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

/** Identifies a usable bundle of a project. */
export interface BundlePlace {
  readonly projectId: ProjectId
  readonly bundleId: ArtifactBundleId
}

/** A bundle that a project has after `adopt`. */
export interface AdoptedBundle {
  readonly id: ArtifactBundleId
  /** False if the project already had it. */
  readonly isNew: boolean
}

/** The stored size of a content. */
export interface StoredBlob {
  readonly key: BlobKey
  readonly bytes: number
}

/** Total bytes of contents in the blob store. */
export interface BlobBytes {
  readonly stored: number
  /** Bytes that a bundle needs. */
  readonly needed: number
}

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

/** The user who uploaded the chunks; null for the system. */
export type ChunkOwner = UserId | null

/** A chunk: its SHA-1 in hexadecimal, and its size in bytes. */
export interface ChunkSize {
  readonly sha1: string
  readonly size: number
}

/**
 * Stores bundles of artifacts, their links to releases, and the contents they need. Looks up files with a fixed number
 * of statements. Chunks are stored per user: a SHA-1 does not open chunks of other users.
 */
export class ArtifactStore extends Context.Service<
  ArtifactStore,
  {
    /** A usable bundle with this checksum in one of these projects, or in any if null. Ignores deleted projects. */
    readonly findByChecksum: (
      kind: ArtifactBundleKind,
      checksum: string,
      projectIds: ReadonlyArray<number> | null,
    ) => Effect.Effect<Option.Option<BundlePlace>, StorageError>

    /**
     * Adds a bundle of any project to a project, and locks it against removal until the transaction ends. Returns none
     * if the bundle no longer exists.
     */
    readonly adopt: (
      from: BundlePlace,
      projectId: ProjectId,
      by: UserId | null,
      now: DateTime.Utc,
    ) => Effect.Effect<Option.Option<AdoptedBundle>, StorageError>

    /**
     * Inserts a bundle with its files, and replaces failed ones with its checksum. Returns the existing bundle if the
     * project has a usable one with this checksum; single files of releases are always inserted.
     */
    readonly insert: (
      bundle: NewArtifactBundle,
      now: DateTime.Utc,
    ) => Effect.Effect<ArtifactBundleId, StorageError>

    /** Links a bundle to a release and dist, in addition to earlier links. Returns whether the link is new. */
    readonly link: (
      place: BundlePlace,
      link: ArtifactBundleLink,
      now: DateTime.Utc,
    ) => Effect.Effect<boolean, StorageError>

    /** Inserts a failed bundle, in place of one with its checksum. A project keeps the last 1,000. */
    readonly insertFailed: (
      bundle: Omit<NewArtifactBundle, "files">,
      link: ArtifactBundleLink,
      now: DateTime.Utc,
    ) => Effect.Effect<ArtifactBundleId, StorageError>

    /** Bundles of a project, newest first. */
    readonly list: (
      projectId: ProjectId,
      page: PageRequest,
    ) => Effect.Effect<Page<ArtifactBundle>, StorageError>

    readonly find: (
      projectId: ProjectId,
      id: ArtifactBundleId,
    ) => Effect.Effect<Option.Option<ArtifactBundle>, StorageError>

    /** Files in the order of the bundle. */
    readonly files: (
      projectId: ProjectId,
      id: ArtifactBundleId,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<ListedArtifactFile>, StorageError>

    /** The debug ids of a bundle's files. */
    readonly debugIds: (place: BundlePlace) => Effect.Effect<ReadonlyArray<string>, StorageError>

    /** Removes a bundle. Returns whether it existed. */
    readonly remove: (projectId: ProjectId, id: ArtifactBundleId) => Effect.Effect<boolean, StorageError>

    /** Single files of a release, newest first. */
    readonly releaseFiles: (
      projectId: ProjectId,
      release: string,
      page: PageRequest,
    ) => Effect.Effect<Page<ReleaseFile>, StorageError>

    /** Stores a single file of a release, in place of the one with the same name and dist. */
    readonly replaceReleaseFile: (
      bundle: NewArtifactBundle,
      link: ArtifactBundleLink,
      now: DateTime.Utc,
    ) => Effect.Effect<ArtifactBundleId, StorageError>

    /** Removes one or all single files of a release. Returns how many. */
    readonly removeReleaseFiles: (
      projectId: ProjectId,
      release: string,
      id: ArtifactBundleId | null,
    ) => Effect.Effect<number, StorageError>

    /** Removes up to `limit` bundles that failed before a time. Returns how many. */
    readonly removeFailed: (before: DateTime.Utc, limit: number) => Effect.Effect<number, StorageError>

    /**
     * Removes up to `limit` bundles of all projects, least recently used or uploaded first; with `before`, older ones
     * only. Returns how many.
     */
    readonly removeOldest: (before: DateTime.Utc | null, limit: number) => Effect.Effect<number, StorageError>

    /** The distinct releases that bundles of a project are linked to. */
    readonly linkedReleases: (projectId: ProjectId) => Effect.Effect<ReadonlyArray<string>, StorageError>

    /**
     * Removes the bundles of a project that are linked to no other release than these. Bundles without a release stay.
     * Returns how many.
     */
    readonly removeOfReleases: (
      projectId: ProjectId,
      releases: ReadonlyArray<string>,
    ) => Effect.Effect<number, StorageError>

    /**
     * Protects contents from removal for an hour, so that they can be stored before a bundle needs them. Returns keys
     * that are being removed right now; announce these again.
     */
    readonly announceBlobs: (
      keys: ReadonlyArray<BlobKey>,
      now: DateTime.Utc,
    ) => Effect.Effect<ReadonlyArray<BlobKey>, StorageError>

    /** Records the stored size of contents. */
    readonly storedBlobs: (blobs: ReadonlyArray<StoredBlob>) => Effect.Effect<void, StorageError>

    /**
     * Takes up to `limit` contents for removal: first those that no bundle needs and that were announced before
     * `before`, then those that were taken before `abandoned` and not forgotten. Taken keys cannot be announced until
     * forgotten.
     */
    readonly takeUnneeded: (
      before: DateTime.Utc,
      abandoned: DateTime.Utc,
      now: DateTime.Utc,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<BlobKey>, StorageError>

    /** Forgets taken contents after their removal. */
    readonly forgetBlobs: (keys: ReadonlyArray<BlobKey>) => Effect.Effect<void, StorageError>

    readonly blobBytes: Effect.Effect<BlobBytes, StorageError>

    /** The projects that have any files. Lookups in others can be skipped. */
    readonly projectsWithFiles: (
      projectIds: ReadonlyArray<ProjectId>,
    ) => Effect.Effect<ReadonlySet<ProjectId>, StorageError>

    /**
     * Files with these debug ids, newest bundle first. Files that have an id as a secondary one follow, if no file has
     * it as its own. `debugId` of the result is the requested id.
     */
    readonly filesByDebugIds: (
      projectId: ProjectId,
      debugIds: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyArray<ArtifactFile>, StorageError>

    /**
     * Files with these names in bundles of a release. Bundles with this dist come first, then those without a dist; the
     * most recently uploaded first. At most `maxBundlesLookedInto` bundles of each kind are searched.
     */
    readonly filesByNames: (
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

    /** Stores a chunk, once per owner. Storing a chunk again makes it count as new. */
    readonly putChunk: (
      owner: ChunkOwner,
      chunk: { readonly sha1: string; readonly content: Uint8Array },
      now: DateTime.Utc,
    ) => Effect.Effect<void, StorageError>

    /** The chunks that are stored, in any order. */
    readonly findChunks: (
      owner: ChunkOwner,
      sha1s: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyArray<ChunkSize>, StorageError>

    readonly readChunk: (
      owner: ChunkOwner,
      sha1: string,
    ) => Effect.Effect<Option.Option<Uint8Array>, StorageError>

    /** Total bytes of the owner's chunks that are not part of a bundle yet. */
    readonly openBytes: (owner: ChunkOwner) => Effect.Effect<number, StorageError>

    /** Marks chunks as assembled, so that they can be removed soon. */
    readonly settleChunks: (
      owner: ChunkOwner,
      sha1s: ReadonlyArray<string>,
      now: DateTime.Utc,
    ) => Effect.Effect<void, StorageError>

    /** Removes up to `limit` chunks that were stored or settled before these times. Returns how many. */
    readonly removeStaleChunks: (
      before: { readonly put: DateTime.Utc; readonly settled: DateTime.Utc },
      limit: number,
    ) => Effect.Effect<number, StorageError>

    /**
     * Leases the assembly of a bundle, by the storage's clock. `holder` is a name unique to the caller. Returns whether
     * the caller holds the lease; a holder renews it by calling again.
     */
    readonly leaseAssembly: (
      owner: ChunkOwner,
      checksum: string,
      holder: string,
      duration: Duration.Duration,
    ) => Effect.Effect<boolean, StorageError>

    /** Releases the lease, if the holder still has it. */
    readonly releaseAssembly: (
      owner: ChunkOwner,
      checksum: string,
      holder: string,
    ) => Effect.Effect<void, StorageError>
  }
>()("@errata/core/artifact/ArtifactStore") {}
