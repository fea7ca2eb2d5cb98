/** Reading a bundle of artifacts, wherever its bytes lie. `@errata/sourcemap` gives the reader. */
import { Context, Data, Effect, type Scope } from "effect"
import type { StorageError } from "../storage/StorageError.js"
import type { ArtifactType } from "./ArtifactFiles.js"

/** Bytes that are read from any place, and never as a whole. */
export interface RandomAccess {
  readonly size: number
  /** Exactly `length` bytes from `offset` on, which are all below `size`. */
  readonly read: (offset: number, length: number) => Effect.Effect<Uint8Array, StorageError>
}

/** How much a bundle may contain: whatever has more is unreadable. */
export interface BundleLimits {
  readonly maxFiles: number
  /** Bytes of the manifest, inflated. */
  readonly maxManifestBytes: number
  /** Bytes of one file, inflated. */
  readonly maxFileBytes: number
  /** Bytes of all files, inflated. */
  readonly maxTotalBytes: number
}

/** A file that the manifest names. */
export interface BundleFile {
  readonly type: ArtifactType
  readonly url: string | null
  /** A UUID in lower case with hyphens. */
  readonly debugId: string | null
  readonly mapReference: string | null
  /** Bytes, inflated. */
  readonly size: number
  /** At most `maxFileBytes`. */
  readonly content: Effect.Effect<Uint8Array, BundleUnreadable | StorageError>
}

/** The contents of a bundle. */
export interface OpenBundle {
  readonly files: ReadonlyArray<BundleFile>
  readonly note: string | null
}

/** Why a bundle cannot be used. */
export class BundleUnreadable extends Data.TaggedError("BundleUnreadable")<{
  /** For its uploader: one sentence without a full stop, such as `manifest.json is not JSON`. */
  readonly reason: string
}> {}

/** Without `@errata/sourcemap` there is none, and every bundle is refused with these words. */
export const BundleReader = Context.Reference("@errata/core/artifact/BundleReader", {
  defaultValue: (): {
    /** Reads directory and manifest; contents are read while the scope is open, one after the other. */
    readonly open: (
      source: RandomAccess,
      limits: BundleLimits,
    ) => Effect.Effect<OpenBundle, BundleUnreadable | StorageError, Scope.Scope>
  } => ({
    open: () => Effect.fail(new BundleUnreadable({ reason: "This server does not read artifact bundles" })),
  }),
})
