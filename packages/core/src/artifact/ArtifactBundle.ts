/** The result of one upload to one project: a bundle of files, or the reason why it could not be read. */
import { type DateTime, Schema } from "effect"
import type { ProjectId } from "../project/Project.js"
import type { UserId } from "../user/User.js"

/** Identifies an artifact bundle: a positive integer, larger for newer ones. */
export const ArtifactBundleId = Schema.Int.pipe(
  Schema.check(Schema.isGreaterThan(0)),
  Schema.brand("ArtifactBundleId"),
)
export type ArtifactBundleId = typeof ArtifactBundleId.Type

/** A bundle of a build tool, a single file of a release, or a source bundle uploaded as a debug file. */
export type ArtifactBundleKind = "bundle" | "release_file" | "debug_file"

/** The file type in a bundle's manifest. */
export type ArtifactType = "source" | "minified_source" | "source_map" | "indexed_ram_bundle"

/** The release and dist of a bundle. Without a release, its files are found by debug id only. */
export interface ArtifactBundleLink {
  readonly release: string | null
  readonly dist: string | null
}

/** An upload of a build tool: scripts and their source maps in one archive. */
export interface ArtifactBundle {
  readonly id: ArtifactBundleId
  readonly projectId: ProjectId
  readonly kind: ArtifactBundleKind
  /** A `failed` bundle could not be read. It has no files, and `detail` says why. */
  readonly state: "ok" | "failed"
  /** SHA-1 of the entire upload, from the uploader. */
  readonly checksum: string
  /** Size of the upload in bytes. */
  readonly size: number
  readonly filesCount: number
  /** The name from the uploader, if any. */
  readonly name: string | null
  /** The note from the uploader, if any. */
  readonly note: string | null
  /** The reason for a failure, or a warning; null if there is none. */
  readonly detail: string | null
  readonly uploadedBy: UserId | null
  readonly links: ReadonlyArray<ArtifactBundleLink>
  readonly createdAt: DateTime.Utc
  /** Time of the last upload. Build tools upload the same bundle repeatedly. */
  readonly uploadedAt: DateTime.Utc
  /** Time when it was last used to resolve the frames of a report. */
  readonly lastUsedAt: DateTime.Utc | null
}

/** A file of a bundle, as lists show it. */
export interface ListedArtifactFile {
  readonly type: ArtifactType
  readonly url: string | null
  readonly debugId: string | null
  readonly mapReference: string | null
  readonly size: number
}

/** A single file of a release. */
export interface ReleaseFile {
  /** Id of the bundle that contains the file. */
  readonly id: ArtifactBundleId
  readonly name: string
  readonly dist: string | null
  readonly mapReference: string | null
  readonly debugId: string | null
  readonly size: number
  readonly sha1: string
  readonly createdAt: DateTime.Utc
}

/** The project has no such bundle. */
export class ArtifactBundleNotFound extends Schema.TaggedError<ArtifactBundleNotFound>()(
  "ArtifactBundleNotFound",
  { bundleId: ArtifactBundleId },
) {}

/**
 * Uploads are paused: the disk is nearly full (`disk`), another call handles the same upload or file (`busy`), or
 * reading took too long (`slow`). A retry may succeed.
 */
export class ArtifactUploadsPaused extends Schema.TaggedError<ArtifactUploadsPaused>()(
  "ArtifactUploadsPaused",
  { reason: Schema.Literals(["disk", "busy", "slow"]) },
) {}
