/** The keys that secrets are stored under: the operator's, and beside an embedded database one that is made there. */
import { Keyring } from "@errata/core"
import { Effect, Option, Redacted } from "effect"
import { CommandFailed } from "./ErrorOutput.js"
import type { ServerChoice } from "./ServerChoice.js"

/** The keys in force, the one that seals first. To be asked for when the storage is open: its folder is this process's then. */
export const ofServer = ({ encryptionKeys, storage }: Place): Keys =>
  Effect.gen(function* () {
    switch (storage.kind) {
      case "memory":
        return encryptionKeys.length > 0 ? encryptionKeys : parsed(yield* Keyring.generateKey)
      case "embedded":
        // It still opens what it sealed before the operator gave another.
        return [...encryptionKeys, ...(yield* besideDatabase(storage.dataDir, encryptionKeys.length === 0))]
      case "postgres":
        if (encryptionKeys.length === 0) {
          yield* Effect.logWarning(
            "There is no encryption key, so that no webhooks can be created: give one as ERRATA_ENCRYPTION_KEY",
          )
        }
        return encryptionKeys
    }
  })

/** The same for who looks at the storage beside a server: no key is made. */
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
