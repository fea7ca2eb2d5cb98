/** The key that secrets are sealed with beside an embedded database, in its folder: made there where it is needed. */
import { open, readFile, rename } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Keyring } from "@errata/core/ports"
import { Data, Effect, Option, Redacted } from "effect"

/** The key in a data folder cannot be read, written or understood. */
export class KeyFileUnusable extends Data.TaggedError("KeyFileUnusable")<{ readonly message: string }> {}

/**
 * The keys in the folder of a database, which must be this process's; none where there is no file. Where a key is needed
 * one is made.
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
  // The name itself is durable with its folder.
  const folder = await open(dirname(path), "r")
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
