/** Storage for contents of artifacts, addressed by hash. */
import { Context, type Effect, type Option } from "effect"
import type { DiskUnmeasurable, DiskUse } from "../storage/DiskSpace.js"
import type { StorageError } from "../storage/StorageError.js"

/** Lower-case hexadecimal SHA-256 of the content. */
export type BlobKey = string

/**
 * Stores contents by hash: in the database by default, or in a folder or an object store. It does not take part in
 * transactions; contents that no bundle refers to are removed later.
 */
export class BlobStore extends Context.Service<
  BlobStore,
  {
    /** Stores a content durably and returns its stored size in bytes. Storing it again is cheap. */
    readonly put: (key: BlobKey, content: Uint8Array) => Effect.Effect<number, StorageError>
    /** Returns none if there is no such blob. Fails if the stored content does not match the hash. */
    readonly get: (key: BlobKey) => Effect.Effect<Option.Option<Uint8Array>, StorageError>
    /** Ignores missing blobs. */
    readonly remove: (keys: ReadonlyArray<BlobKey>) => Effect.Effect<void, StorageError>
    /** The disk that holds the blobs. Space that removed blobs left for new ones counts as free. */
    readonly disk: Effect.Effect<DiskUse, DiskUnmeasurable>
  }
>()("@errata/core/artifact/BlobStore") {}
