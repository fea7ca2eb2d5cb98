/** Checks that a storage has every port. Its type says so too, but not to programs in JavaScript. */
import { MemoryStorage } from "@errata/storage-memory"
import { Effect, Layer } from "effect"

/** Fails with the names of the ports that the layers around it lack. */
export const layer = (storage: string): Layer.Layer<never, { readonly message: string }> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { mapUnsafe: provided } = yield* Effect.context<never>()
      // The memory storage is complete, by its type.
      const { mapUnsafe: complete } = yield* MemoryStorage.make
      const missing = [...complete.keys()].filter((key) => !provided.has(key)).map(nameOf)
      if (missing.length === 0) return
      return yield* Effect.fail({
        message: `the storage ${storage} lacks ports: ${missing.sort().join(", ")}. See docs/adapters.md`,
      })
    }),
  )

// internal

/** `GroupStore` for `@errata/core/group/GroupStore`. */
const nameOf = (key: string): string => key.slice(key.lastIndexOf("/") + 1)
