/** What one upload brought to one project: a bundle of files, or why it could not be read. */
import { type DateTime, Schema } from "effect"
import type { ProjectId } from "../project/Project.js"
import type { UserId } from "../user/User.js"
import type { ArtifactType } from "./ArtifactFiles.js"

/** Identifies an artifact bundle: a positive integer, larger for newer ones. */
export const ArtifactBundleId = Schema.Int.pipe(
  Schema.check(Schema.isGreaterThan(0)),
  Schema.brand("ArtifactBundleId"),
)
export type ArtifactBundleId = typeof ArtifactBundleId.Type

/**
 * A bundle that build tools make, one file of a release that was uploaded by itself, or a bundle of sources that was
 * uploaded as a debug file.
 */
export type ArtifactBundleKind = "bundle" | "release_file" | "debug_file"

/** What a bundle belongs to. Neither: its files are found by their debug ids alone. */
export interface ArtifactBundleLink {
  readonly release: string | null
  readonly dist: string | null
}

/** An upload of a build tool: scripts and their source maps in one archive. */
export interface ArtifactBundle {
  readonly id: ArtifactBundleId
  readonly projectId: ProjectId
  readonly kind: ArtifactBundleKind
  /** `failed` where it could not be read: it has no files then, and `detail` says why. */
  readonly state: "ok" | "failed"
  /** SHA-1 of the whole, as its uploader named it. */
  readonly checksum: string
  /** Bytes of the whole. */
  readonly size: number
  readonly filesCount: number
  /** The uploader's name of it; null where it gave none. */
  readonly name: string | null
  /** What the uploader said about it; null where it said nothing. */
  readonly note: string | null
  /** Why it failed, or what was odd about it; null where there is nothing to say. */
  readonly detail: string | null
  readonly uploadedBy: UserId | null
  readonly links: ReadonlyArray<ArtifactBundleLink>
  readonly createdAt: DateTime.Utc
  /** When it was uploaded last: build tools send the same bundle again. */
  readonly uploadedAt: DateTime.Utc
  /** When a report was resolved with it last. */
  readonly lastUsedAt: DateTime.Utc | null
}

/** A file of a bundle as people are shown it. */
export interface ListedArtifactFile {
  readonly type: ArtifactType
  readonly url: string | null
  readonly debugId: string | null
  readonly mapReference: string | null
  readonly size: number
}

/** One file of a release that was uploaded by itself. */
export interface ReleaseFile {
  /** Of the bundle that it is kept as. */
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
 * Nothing is taken now: the disk has too little room, the same bundle is being read, or reading it took too long. The same
 * call may succeed later.
 */
export class ArtifactUploadsPaused extends Schema.TaggedError<ArtifactUploadsPaused>()(
  "ArtifactUploadsPaused",
  { reason: Schema.Literals(["disk", "busy", "slow"]) },
) {}
