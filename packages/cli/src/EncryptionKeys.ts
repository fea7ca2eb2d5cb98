/** The keys that secrets are stored under: the operator's, and beside an embedded database one that is made there. */
import { open, readFile, rename } from "node:fs/promises"
import { join } from "node:path"
import { Keyring } from "@errata/core"
import { Effect, Option, Redacted } from "effect"
import { CommandFailed } from "./ErrorOutput.js"
import type { ServerChoice } from "./ServerChoice.js"

/** The keys in force, the one that seals first. To be asked for when the storage is open: its folder is this process's then. */
export const ofServer = ({
  encryptionKeys,
  storage,
}: Pick<ServerChoice, "encryptionKeys" | "storage">): Effect.Effect<
  ReadonlyArray<Keyring.EncryptionKey>,
  CommandFailed
> =>
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
export const besideServer = ({
  encryptionKeys,
  storage,
}: Pick<ServerChoice, "encryptionKeys" | "storage">): Effect.Effect<
  ReadonlyArray<Keyring.EncryptionKey>,
  CommandFailed
> =>
  storage.kind === "embedded"
    ? Effect.map(besideDatabase(storage.dataDir, false), (beside) => [...encryptionKeys, ...beside])
    : Effect.succeed(encryptionKeys)

// internal

const fileName = "encryption-key"

const parsed = (text: Redacted.Redacted) =>
  Option.getOrElse(Keyring.parseKeys(Redacted.value(text)), () => [])

const besideDatabase = (dataDir: string, isNeeded: boolean) =>
  Effect.gen(function* () {
    const path = join(dataDir, fileName)
    const failed = (cause: unknown) =>
      new CommandFailed({ message: `The encryption key in ${path} cannot be used: ${String(cause)}` })
    const text = yield* Effect.tryPromise({
      try: () =>
        readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
          if (error.code === "ENOENT") return null
          throw error
        }),
      catch: failed,
    })
    if (text !== null) {
      return yield* Option.match(Keyring.parseKeys(text), {
        onNone: () => failed("it is none"),
        onSome: Effect.succeed,
      })
    }
    if (!isNeeded) return []
    const key = yield* Keyring.generateKey
    yield* Effect.tryPromise({ try: () => writeDurably(path, `${Redacted.value(key)}\n`), catch: failed })
    return parsed(key)
  })

/** For its owner alone, and all of it or nothing, also after a power cut: what it seals is lost without it. */
const writeDurably = async (path: string, content: string): Promise<void> => {
  const aside = `${path}.new`
  const handle = await open(aside, "w", 0o600)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(aside, path)
}
