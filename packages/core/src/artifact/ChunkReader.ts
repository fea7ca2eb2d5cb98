/** Reads the chunks of an upload as one file. */
import { Effect, Option } from "effect"
import { StorageError } from "../storage/StorageError.js"
import type { ArtifactStore, ChunkOwner, ChunkSize } from "./ArtifactStore.js"
import type { RandomAccess } from "./BundleReader.js"

/** Creates a reader. `chunks` are in file order and may repeat. Keeps two chunks in memory. */
export const make = (
  store: ArtifactStore["Service"],
  owner: ChunkOwner,
  chunks: ReadonlyArray<ChunkSize>,
): RandomAccess => {
  const starts: Array<number> = []
  let size = 0
  for (const chunk of chunks) {
    starts.push(size)
    size += chunk.size
  }
  let recent: ReadonlyArray<{ readonly sha1: string; readonly content: Uint8Array }> = []

  const load = (sha1: string): Effect.Effect<Uint8Array, StorageError> =>
    Effect.suspend(() => {
      const known = recent.find((chunk) => chunk.sha1 === sha1)
      if (known !== undefined) return Effect.succeed(known.content)
      return Effect.flatMap(store.readChunk(owner, sha1), (found) => {
        if (Option.isNone(found)) return gone
        const last = recent[0]
        recent = [{ sha1, content: found.value }, ...(last === undefined ? [] : [last])]
        return Effect.succeed(found.value)
      })
    })

  const indexAt = (offset: number): number => {
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if (starts[middle]! <= offset) low = middle
      else high = middle - 1
    }
    return low
  }

  return {
    size,
    read: (offset, length) =>
      Effect.gen(function* () {
        const bytes = new Uint8Array(length)
        let filled = 0
        for (let index = indexAt(offset); filled < length; index++) {
          const content = yield* load(chunks[index]!.sha1)
          const from = offset + filled - starts[index]!
          const piece = content.subarray(from, from + length - filled)
          bytes.set(piece, filled)
          filled += piece.byteLength
        }
        return bytes
      }),
  }
}

// internal

/** The chunks were deleted during the assembly. The client should upload them again. */
const gone = Effect.fail(
  new StorageError({
    operation: "ArtifactStore.readChunk",
    reason: "unavailable",
    cause: new Error("a chunk was deleted during the upload"),
  }),
)
