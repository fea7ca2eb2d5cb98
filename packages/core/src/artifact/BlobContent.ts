/** Decodes stored contents. Each blob store compresses in its own way; all verify the hash on reading. */
import { Effect } from "effect"
import { StorageError } from "../storage/StorageError.js"
import type { BlobKey } from "./BlobStore.js"
import { digest } from "./Digest.js"

/** Unpacks a content. Fails if `unpack` rejects, or if the content does not match the hash in its key. */
export const open = (
  key: BlobKey,
  kept: Uint8Array,
  unpack: (kept: Uint8Array) => Promise<Uint8Array>,
): Effect.Effect<Uint8Array, StorageError> =>
  Effect.tryPromise({ try: () => unpack(kept), catch: damaged }).pipe(
    Effect.tap((content) =>
      Effect.flatMap(digest("sha256", content), (hash) =>
        hash === key ? Effect.void : damaged(new Error("the content does not match its hash")),
      ),
    ),
  )

// internal

const damaged = (cause: unknown) =>
  new StorageError({ operation: "BlobStore.get", reason: "unavailable", cause })
