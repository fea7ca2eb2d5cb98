/** Pieces of uploads on their way to become a bundle. */
import { Context, type DateTime, type Duration, type Effect, type Option } from "effect"
import type { StorageError } from "../storage/StorageError.js"
import type { UserId } from "../user/User.js"

/** Whose chunks they are; null is the system, and whoever runs it. */
export type ChunkOwner = UserId | null

/** A part of an upload: SHA-1 in hexadecimal, and its bytes. */
export interface ChunkSize {
  readonly sha1: string
  readonly size: number
}

/** What build tools are told to cut their uploads into: older ones can do with powers of two only. */
export const chunkBytesFor = (maxBytes: number): number => 2 ** Math.floor(Math.log2(maxBytes))

/** Each user has chunks of their own: who names a SHA-1 does not get at what others have sent under it. */
export class ArtifactChunks extends Context.Service<
  ArtifactChunks,
  {
    /** Keeps a chunk, once however often it is put. One that was used in a bundle counts as new. */
    readonly put: (
      owner: ChunkOwner,
      chunk: { readonly sha1: string; readonly content: Uint8Array },
      now: DateTime.Utc,
    ) => Effect.Effect<void, StorageError>

    /** Those of these that are there, in any order. */
    readonly find: (
      owner: ChunkOwner,
      sha1s: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyArray<ChunkSize>, StorageError>

    readonly read: (owner: ChunkOwner, sha1: string) => Effect.Effect<Option.Option<Uint8Array>, StorageError>

    /** Bytes of the owner's chunks that no bundle was made of yet. */
    readonly openBytes: (owner: ChunkOwner) => Effect.Effect<number, StorageError>

    /** Says that a bundle was made of these, so that they may go soon. */
    readonly settle: (
      owner: ChunkOwner,
      sha1s: ReadonlyArray<string>,
      now: DateTime.Utc,
    ) => Effect.Effect<void, StorageError>

    /** Removes up to so many that were put, or settled, before these moments; answers how many. */
    readonly removeStale: (
      before: { readonly put: DateTime.Utc; readonly settled: DateTime.Utc },
      limit: number,
    ) => Effect.Effect<number, StorageError>

    /**
     * Whether the caller, a name of its own, is the one who assembles this bundle of the owner's for some time, by the
     * storage's clock. Who has it gets it again.
     */
    readonly lease: (
      owner: ChunkOwner,
      checksum: string,
      holder: string,
      duration: Duration.Duration,
    ) => Effect.Effect<boolean, StorageError>

    /** Gives back what the holder has; nothing where it has lost it. */
    readonly unlease: (
      owner: ChunkOwner,
      checksum: string,
      holder: string,
    ) => Effect.Effect<void, StorageError>
  }
>()("@errata/core/artifact/ArtifactChunks") {}
