/** Commands that use the API if a server is known, and otherwise the storage. */
import { Effect, Option } from "effect"
import type { ConnectionChoice } from "./api/ApiOptions.js"
import { knownUrl } from "./api/Connection.js"
import { ReaderGone } from "./api/Output.js"
import { isStorageNamed, type StorageFlags } from "./StorageOptions.js"

/** The last sentence of their descriptions. */
export const eitherWay =
  "Uses the API if a server is known and no storage option is given, otherwise the storage"

export const overApiOr = <A, E, R, B, E2, R2>(
  choice: ConnectionChoice & StorageFlags,
  overApi: Effect.Effect<A, E, R>,
  onStorage: (storage: StorageFlags) => Effect.Effect<B, E2, R2>,
) =>
  Effect.gen(function* () {
    if (!isStorageNamed(choice) && Option.isSome(yield* knownUrl(choice))) return yield* overApi
    return yield* Effect.catchIf(
      onStorage(choice),
      (error) => error instanceof ReaderGone,
      () => Effect.void,
    )
  })
