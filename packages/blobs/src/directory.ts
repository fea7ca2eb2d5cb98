/** Stores the contents of artifacts as files in a folder. */
import { mkdir, open, readFile, rm, statfs } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { gunzip, gzip } from "node:zlib"
import { StorageError } from "@errata/core"
import { BlobContent, BlobStore, DiskUnmeasurable } from "@errata/core/ports"
import { Clock, Effect, Layer } from "effect"
import { finish, orNull, prepare, statOf, syncNames, unfinished } from "./DirectoryFiles.js"
import * as DirectoryObjects from "./DirectoryObjects.js"

/** Location of the files. */
export interface DirectoryOptions {
  /** Created if it does not exist. Several nodes may share it on a shared file system. */
  readonly path: string
}

/** Stores each content as a gzip file, in a subfolder named by the first two digits of its hash. */
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

/** Stores named objects in the subfolder `objects` of the same folder. */
export const layerObjects = ({ path }: DirectoryOptions): Layer.Layer<never> => DirectoryObjects.layer(path)

// internal

const attempt = <A>(operation: string, work: () => Promise<A>): Effect.Effect<A, StorageError> =>
  Effect.tryPromise({
    try: work,
    // Retryable: the operator can fix the disk.
    catch: (cause) => new StorageError({ operation, reason: "unavailable", cause }),
  })

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const zip = promisify(gzip)
const unzip = promisify(gunzip)

/** Rejects keys that are not 64 hexadecimal digits, so that a key cannot contain a path. */
const fileOf = (path: string, key: string): string => {
  if (!/^[0-9a-f]{64}$/.test(key)) throw new TypeError("a key must be a SHA-256 in hexadecimal")
  return join(path, key.slice(0, 2), `${key}.gz`)
}

const put = async (path: string, key: string, content: Uint8Array): Promise<number> => {
  const file = fileOf(path, key)
  const folder = join(path, key.slice(0, 2))
  const known = await statOf(file)
  if (known !== null) {
    // The writer of the file may have crashed before it synced the names, or may not have synced them yet.
    await syncNames(path, folder)
    return known.size
  }
  const packed = await zip(content)
  await mkdir(folder, { recursive: true })
  const temporary = unfinished(path)
  const handle = await open(temporary, "wx")
  try {
    await handle.writeFile(packed)
    await finish(handle, temporary, file)
  } catch (error) {
    await handle.close().catch(() => {})
    await rm(temporary, { force: true })
    throw error
  }
  await syncNames(path, folder)
  return packed.byteLength
}

const keptIn = (path: string, key: string): Promise<Uint8Array | null> => orNull(readFile(fileOf(path, key)))
