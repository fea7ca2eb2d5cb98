/** Contents of artifacts as files of a folder. */
import { randomUUID } from "node:crypto"
import type { Stats } from "node:fs"
import { mkdir, open, readdir, readFile, rename, rm, stat, statfs } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { gunzip, gzip } from "node:zlib"
import { StorageError } from "@errata/core"
import { BlobContent, BlobStore, DiskUnmeasurable } from "@errata/core/ports"
import { Clock, Duration, Effect, Layer } from "effect"

/** Where the files are kept. */
export interface DirectoryOptions {
  /** Made where it is not there. Several nodes may share it, on a file system that all of them see. */
  readonly path: string
}

/** Each content is a file of its own, compressed, below a folder named by the first two digits of its hash. */
export const layer = ({ path }: DirectoryOptions): Layer.Layer<BlobStore, StorageError> =>
  Layer.effect(
    BlobStore,
    Effect.as(
      Effect.flatMap(Clock.currentTimeMillis, (now) => attempt("BlobStore.open", () => prepare(path, now))),
      BlobStore.of({
        put: (key, content) => attempt("BlobStore.put", () => put(path, key, content)),
        get: (key) =>
          Effect.flatMap(
            attempt("BlobStore.get", () => keptIn(path, key)),
            (kept) =>
              kept === null ? Effect.succeedNone : Effect.asSome(BlobContent.open(key, kept, unzip)),
          ),
        remove: (keys) =>
          Effect.forEach(
            keys,
            (key) => attempt("BlobStore.remove", () => rm(fileOf(path, key), { force: true })),
            { discard: true },
          ),
        disk: Effect.tryPromise({
          try: () => statfs(path),
          catch: (error) => new DiskUnmeasurable({ reason: messageOf(error) }),
        }).pipe(
          Effect.map(({ bavail, blocks, bsize }) => ({
            totalBytes: blocks * bsize,
            freeBytes: bavail * bsize,
          })),
        ),
      }),
    ),
  )

// internal

const temporary = "tmp"

/** Of a file that is being written; other nodes may be writing some. */
const unfinishedMillis = Duration.toMillis("1 hour")

const attempt = <A>(operation: string, work: () => Promise<A>): Effect.Effect<A, StorageError> =>
  Effect.tryPromise({
    try: work,
    // Whoever has the disk can change what stands in the way.
    catch: (cause) => new StorageError({ operation, reason: "unavailable", cause }),
  })

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const zip = promisify(gzip)
const unzip = promisify(gunzip)

/** Keys are hexadecimal digits, and nothing that a path could be made of. */
const fileOf = (path: string, key: string): string => {
  if (!/^[0-9a-f]{64}$/.test(key)) throw new TypeError("a key must be a SHA-256 in hexadecimal")
  return join(path, key.slice(0, 2), `${key}.gz`)
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT"

/** Whoever ended in the middle of writing has left a part of a file that nobody will ask for. */
const prepare = async (path: string, now: number): Promise<void> => {
  const folder = join(path, temporary)
  await mkdir(folder, { recursive: true })
  for (const name of await readdir(folder)) {
    const file = join(folder, name)
    const writtenAt = await timeOf(file)
    if (writtenAt !== null && writtenAt < now - unfinishedMillis) await rm(file, { force: true })
  }
}

const put = async (path: string, key: string, content: Uint8Array): Promise<number> => {
  const file = fileOf(path, key)
  const folder = join(path, key.slice(0, 2))
  const known = await sizeOf(file)
  if (known !== null) {
    // Whoever gave the file its name may not have come to this, or is about to.
    await syncNames(path, folder)
    return known
  }
  const packed = await zip(content)
  await mkdir(folder, { recursive: true })
  // It gets its name when all of it is on the disk: what has a name is whole.
  const unfinished = join(path, temporary, randomUUID())
  try {
    const handle = await open(unfinished, "wx")
    try {
      await handle.writeFile(packed)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(unfinished, file)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
  await syncNames(path, folder)
  return packed.byteLength
}

/** The name of a file is durable with its folder, and a new folder with the one above. */
const syncNames = async (path: string, folder: string): Promise<void> => {
  for (const directory of [folder, path]) await sync(directory)
}

const sync = async (directory: string): Promise<void> => {
  const handle = await open(directory, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const sizeOf = async (file: string): Promise<number | null> => (await statOf(file))?.size ?? null

const timeOf = async (file: string): Promise<number | null> => (await statOf(file))?.mtimeMs ?? null

const statOf = async (file: string): Promise<Stats | null> => {
  try {
    return await stat(file)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

const keptIn = async (path: string, key: string): Promise<Uint8Array | null> => {
  try {
    return await readFile(fileOf(path, key))
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}
