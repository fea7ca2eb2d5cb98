/** Reading artifact bundles. `@errata/sourcemap` provides the reader. */
import { Context, Data, Effect, type Scope } from "effect"
import type { StorageError } from "../storage/StorageError.js"
import type { ArtifactType } from "./ArtifactBundle.js"

/** A source that is read in parts. */
export interface RandomAccess {
  readonly size: number
  /** Exactly `length` bytes from `offset`. The range must be within `size`. */
  readonly read: (offset: number, length: number) => Effect.Effect<Uint8Array, StorageError>
}

/** Limits of a bundle. A bundle that exceeds one is unreadable. */
export interface BundleLimits {
  readonly maxFiles: number
  /** Decompressed bytes of the manifest. */
  readonly maxManifestBytes: number
  /** Decompressed bytes of one file. */
  readonly maxFileBytes: number
  /** Decompressed bytes of all files. */
  readonly maxTotalBytes: number
}

/** A file listed in the manifest. */
export interface BundleFile {
  readonly type: ArtifactType
  readonly url: string | null
  /** A UUID in lower case with hyphens. */
  readonly debugId: string | null
  readonly mapReference: string | null
  /** Decompressed bytes. */
  readonly size: number
  /** At most `maxFileBytes`. */
  readonly content: Effect.Effect<Uint8Array, BundleUnreadable | StorageError>
}

/** The contents of a bundle. */
export interface OpenBundle {
  readonly files: ReadonlyArray<BundleFile>
  readonly note: string | null
}

/** The bundle cannot be used. */
export class BundleUnreadable extends Data.TaggedError("BundleUnreadable")<{
  /** For the uploader: one sentence without a full stop, such as `manifest.json is not JSON`. */
  readonly reason: string
}> {}

/** The bundle reader. The default rejects every bundle; `@errata/sourcemap` provides one. */
export const BundleReader = Context.Reference("@errata/core/artifact/BundleReader", {
  defaultValue: (): {
    /** Reads the directory and the manifest. Contents are read one by one while the scope is open. */
    readonly open: (
      source: RandomAccess,
      limits: BundleLimits,
    ) => Effect.Effect<OpenBundle, BundleUnreadable | StorageError, Scope.Scope>
  } => ({
    open: () => Effect.fail(new BundleUnreadable({ reason: "This server does not read artifact bundles" })),
  }),
})
