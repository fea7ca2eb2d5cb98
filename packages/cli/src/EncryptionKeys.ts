/** Encryption keys of stored secrets: the configured ones, and the key file beside an embedded database. */
import { Keyring } from "@errata/core/ports"
import { Effect, Option, Redacted } from "effect"
import { CommandFailed } from "./ErrorOutput.js"
import type { ServerChoice } from "./ServerChoice.js"

/**
 * Returns the keys of a server. The first one encrypts. Call it after opening the storage, when this process owns the
 * folder.
 */
export const ofServer = ({ encryptionKeys, storage }: Place): Keys =>
  Effect.gen(function* () {
    switch (storage.kind) {
      case "memory":
        return encryptionKeys.length > 0 ? encryptionKeys : parsed(yield* Keyring.generateKey)
      case "embedded":
        // A generated key still decrypts its secrets after the operator configures another one.
        return [...encryptionKeys, ...(yield* besideDatabase(storage.dataDir, encryptionKeys.length === 0))]
      case "postgres":
        if (encryptionKeys.length === 0) {
          yield* Effect.logWarning(
            "No encryption key is set, so webhooks cannot be created. Set ERRATA_ENCRYPTION_KEY",
          )
        }
        return encryptionKeys
    }
  })

/** Returns the keys for a process beside a server. It creates no key. */
export const besideServer = ({ encryptionKeys, storage }: Place): Keys =>
  storage.kind === "embedded"
    ? Effect.map(besideDatabase(storage.dataDir, false), (beside) => [...encryptionKeys, ...beside])
    : Effect.succeed(encryptionKeys)

// internal

type Place = Pick<ServerChoice, "encryptionKeys" | "storage">

type Keys = Effect.Effect<ReadonlyArray<Keyring.EncryptionKey>, CommandFailed>

const parsed = (text: Redacted.Redacted) =>
  Option.getOrElse(Keyring.parseKeys(Redacted.value(text)), () => [])

const besideDatabase = (dataDir: string, isNeeded: boolean) =>
  Effect.promise(() => import("@errata/storage-postgres/embedded")).pipe(
    Effect.flatMap(({ KeyFile }) => KeyFile.keysIn(dataDir, isNeeded)),
    Effect.mapError(({ message }) => new CommandFailed({ message })),
  )
