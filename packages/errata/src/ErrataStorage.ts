/** Storages of an instance. */
import type { Services } from "@errata/core"
import { Keyring } from "@errata/core/ports"
import { MemoryStorage } from "@errata/storage-memory"
import { Effect, type Layer, Option, Redacted } from "effect"

/** A storage: all ports of the core, made by `memory()`, `postgres()` or `embedded()`, or from your own ports. */
export interface ErrataStorage {
  /** Name for messages, e.g. `PostgreSQL`. */
  readonly name: string
  /** Opens the storage, and closes it with the scope. Error messages say what to do. */
  readonly layer: Layer.Layer<Services.Stores, { readonly message: string }>
  /** True if no other application can use it, as with `memory()` and `embedded()`. */
  readonly isExclusive?: boolean | undefined
  /**
   * Keys of the storage itself, which encrypt secrets if the instance has no key of its own (`isNeeded`). Called after
   * the storage is open. Default: none.
   */
  readonly ownKeys?:
    | ((
        isNeeded: boolean,
      ) => Effect.Effect<ReadonlyArray<Keyring.EncryptionKey>, { readonly message: string }>)
    | undefined
}

/** Stores everything in memory, until the process ends. Two instances with the same `memory()` do not share data. */
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
