/** Where an instance keeps its data. */
import type { Services } from "@errata/core"
import { Keyring } from "@errata/core/ports"
import { MemoryStorage } from "@errata/storage-memory"
import { Effect, type Layer, Option, Redacted } from "effect"

/** A storage: every port of the core. `memory()` and its like make them; whoever has ports of their own makes one as well. */
export interface ErrataStorage {
  /** What it is, for messages, e.g. `PostgreSQL`. */
  readonly name: string
  /** Opens it, and closes it with the scope. The message of what it fails with tells people what to do. */
  readonly layer: Layer.Layer<Services.Stores, { readonly message: string }>
  /** True if no other application can use it, as with `memory()` and `embedded()`. */
  readonly isExclusive?: boolean | undefined
  /**
   * The storage's own keys, which secrets are sealed with where the instance is given none: then one is needed. Asked for
   * when the storage is open. None by default.
   */
  readonly ownKeys?:
    | ((
        isNeeded: boolean,
      ) => Effect.Effect<ReadonlyArray<Keyring.EncryptionKey>, { readonly message: string }>)
    | undefined
}

/** All in memory: gone with the process. Two instances of one `memory()` do not share it. */
export const memory = (): ErrataStorage => ({
  name: "memory",
  isExclusive: true,
  layer: MemoryStorage.layer,
  ownKeys: (isNeeded) =>
    isNeeded
      ? Effect.map(Keyring.generateKey, (key) =>
          Option.getOrElse(Keyring.parseKeys(Redacted.value(key)), () => []),
        )
      : Effect.succeed([]),
})
