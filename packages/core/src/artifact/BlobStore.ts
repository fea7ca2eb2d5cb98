/** Contents of artifacts, each kept once. */
import { Context, type Effect, type Option } from "effect"
import type { DiskUnmeasurable, DiskUse } from "../storage/DiskSpace.js"
import type { StorageError } from "../storage/StorageError.js"

/** Lower-case hexadecimal SHA-256 of the content. */
export type BlobKey = string

/**
 * Keeps bytes under the hash of them. In the database by default; a folder or a store of objects can take its place.
 * It shares no transaction with other ports: what is put and then not referred to is removed later.
 */
export class BlobStore extends Context.Service<
  BlobStore,
  {
    /** Durable when it succeeds; answers the bytes that it takes. Putting the same again is cheap. */
    readonly put: (key: BlobKey, content: Uint8Array) => Effect.Effect<number, StorageError>
    /** None where there is no such blob. Fails where what is kept does not have the hash that it is kept under. */
    readonly get: (key: BlobKey) => Effect.Effect<Option.Option<Uint8Array>, StorageError>
    /** Those that are not there are no error. */
    readonly remove: (keys: ReadonlyArray<BlobKey>) => Effect.Effect<void, StorageError>
    /** Of the disk that they are on. Room that removed blobs have left, and that only new ones can use, is free. */
    readonly disk: Effect.Effect<DiskUse, DiskUnmeasurable>
  }
>()("@errata/core/artifact/BlobStore") {}
