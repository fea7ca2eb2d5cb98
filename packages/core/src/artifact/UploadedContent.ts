/** What an upload is before it is read as a bundle. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import type { StorageError } from "../storage/StorageError.js"
import { type BundleFile, BundleUnreadable, type RandomAccess } from "./BundleReader.js"
import { normalizeDebugId } from "./DebugIds.js"
import { update } from "./Digest.js"

/** Fails where the chunks together are not what the checksum says. */
export const verify = (
  source: RandomAccess,
  checksum: string,
): Effect.Effect<void, BundleUnreadable | StorageError> =>
  Effect.gen(function* () {
    const hash = createHash("sha1")
    for (let offset = 0; offset < source.size; offset += pieceBytes) {
      yield* update(hash, yield* source.read(offset, Math.min(pieceBytes, source.size - offset)))
      yield* Effect.yieldNow()
    }
    if (hash.digest("hex") !== checksum) {
      return yield* new BundleUnreadable({
        reason: "The chunks together do not have the SHA-1 of the checksum",
      })
    }
  })

/** Whether a debug file is a bundle of sources: debug files of other kinds begin otherwise. */
export const isBundle = (source: RandomAccess): Effect.Effect<boolean, StorageError> =>
  source.size < prefix.length
    ? Effect.succeed(false)
    : Effect.map(source.read(0, prefix.length), (bytes) =>
        prefix.every((byte, index) => bytes[index] === byte),
      )

/** Kept as it is, for its uploader. */
export const debugFile = (
  source: RandomAccess,
  maxBytes: number,
  { debugId, name }: { readonly debugId?: string | null; readonly name?: string | null },
): BundleFile => ({
  type: "debug_file",
  url: name ?? null,
  debugId: normalizeDebugId(debugId ?? ""),
  mapReference: null,
  size: source.size,
  content:
    source.size > maxBytes
      ? new BundleUnreadable({ reason: `The file is larger than ${maxBytes} bytes` })
      : source.read(0, source.size),
})

// internal

const pieceBytes = 4 * 1024 * 1024
const prefix = [0x53, 0x59, 0x53, 0x42]
