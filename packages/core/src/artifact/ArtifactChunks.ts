/** Chunks of uploads that are not assembled yet. */
import { Context, type DateTime, type Duration, type Effect, type Option } from "effect"
import type { StorageError } from "../storage/StorageError.js"
import type { UserId } from "../user/User.js"

/** The user who uploaded the chunks; null for the system. */
export type ChunkOwner = UserId | null

/** A chunk: its SHA-1 in hexadecimal, and its size in bytes. */
export interface ChunkSize {
  readonly sha1: string
  readonly size: number
}

/** The chunk size for build tools. Older ones support powers of two only. */
export const chunkBytesFor = (maxBytes: number): number => 2 ** Math.floor(Math.log2(maxBytes))

/** Stores chunks per user: knowing a SHA-1 does not give access to chunks of other users. */
export class ArtifactChunks extends Context.Service<
  ArtifactChunks,
  {
    /** Stores a chunk, once per owner. Storing a chunk again makes it count as new. */
    readonly put: (
      owner: ChunkOwner,
      chunk: { readonly sha1: string; readonly content: Uint8Array },
      now: DateTime.Utc,
    ) => Effect.Effect<void, StorageError>

    /** The chunks that are stored, in any order. */
    readonly find: (
      owner: ChunkOwner,
      sha1s: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyArray<ChunkSize>, StorageError>

    readonly read: (owner: ChunkOwner, sha1: string) => Effect.Effect<Option.Option<Uint8Array>, StorageError>

    /** Total bytes of the owner's chunks that are not part of a bundle yet. */
    readonly openBytes: (owner: ChunkOwner) => Effect.Effect<number, StorageError>

    /** Marks chunks as assembled, so that they can be removed soon. */
    readonly settle: (
      owner: ChunkOwner,
      sha1s: ReadonlyArray<string>,
      now: DateTime.Utc,
    ) => Effect.Effect<void, StorageError>

    /** Removes up to `limit` chunks that were stored or settled before these times. Returns how many. */
    readonly removeStale: (
      before: { readonly put: DateTime.Utc; readonly settled: DateTime.Utc },
      limit: number,
    ) => Effect.Effect<number, StorageError>

    /**
     * Leases the assembly of a bundle, by the storage's clock. `holder` is a name unique to the caller. Returns whether
     * the caller holds the lease; a holder renews it by calling again.
     */
    readonly lease: (
      owner: ChunkOwner,
      checksum: string,
      holder: string,
      duration: Duration.Duration,
    ) => Effect.Effect<boolean, StorageError>

    /** Releases the lease, if the holder still has it. */
    readonly unlease: (
      owner: ChunkOwner,
      checksum: string,
      holder: string,
    ) => Effect.Effect<void, StorageError>
  }
>()("@errata/core/artifact/ArtifactChunks") {}
