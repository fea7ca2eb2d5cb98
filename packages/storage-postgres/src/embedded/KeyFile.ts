/** The encryption key of secrets, stored in the folder of an embedded database and created when needed. */
import { open, readFile, rename } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Keyring } from "@errata/core/ports"
import { Data, Effect, Option, Redacted } from "effect"

/** The key file cannot be read, written or parsed. */
export class KeyFileUnusable extends Data.TaggedError("KeyFileUnusable")<{ readonly message: string }> {}

/**
 * Returns the keys in a data folder that this process holds, or none if there is no file. Creates a key if one is
 * needed.
 */
export const keysIn = (
  dataDir: string,
  isNeeded: boolean,
): Effect.Effect<ReadonlyArray<Keyring.EncryptionKey>, KeyFileUnusable> =>
  Effect.gen(function* () {
    const path = join(dataDir, fileName)
    const failed = (cause: unknown) =>
      new KeyFileUnusable({ message: `The encryption key in ${path} cannot be used: ${String(cause)}` })
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
        onNone: () => failed("it is not a valid key"),
        onSome: Effect.succeed,
      })
    }
    if (!isNeeded) return []
    const key = yield* Keyring.generateKey
    yield* Effect.tryPromise({ try: () => writeDurably(path, `${Redacted.value(key)}\n`), catch: failed })
    return Option.getOrElse(Keyring.parseKeys(Redacted.value(key)), () => [])
  })

// internal

const fileName = "encryption-key"

/** Writes atomically and durably, with mode 0600: encrypted secrets are lost without the key. */
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
  // Sync the folder, which holds the name.
  const folder = await open(dirname(path), "r")
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
