/** Contents in a folder: the contract of every place, and what only files can do. */
import { type FileHandle, mkdir, mkdtemp, open, readdir, rm, stat, utimes, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { StorageError } from "@errata/core"
import { BlobStore } from "@errata/core/ports"
import { MemoryStorage } from "@errata/storage-memory"
import { blobStoreSuite, storageContract, TestBundle } from "@errata/testing"
import { Effect, Layer } from "effect"
import { vi } from "vitest"
import * as Directory from "../src/directory.js"

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "errata-blobs-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true })),
)

const idOf = async (path: string): Promise<number> => (await stat(path)).ino

/** Which files and folders are synced from now on, by their ids. */
const recordSyncs = (path: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const ids: Array<number> = []
        const handle = await open(path)
        const spy = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, "sync")
        await handle.close()
        spy.mockImplementation(async function (this: FileHandle) {
          ids.push((await this.stat()).ino)
        })
        return { ids, spy }
      }),
      ({ spy }) => Effect.sync(() => spy.mockRestore()),
    ),
    ({ ids }) => ids,
  )

const inFolder = Layer.unwrap(Effect.map(folder, (path) => Directory.layer({ path: join(path, "new") })))

storageContract("A folder", { layer: Layer.merge(MemoryStorage.layer, inFolder) }, [blobStoreSuite])

describe("A folder", () => {
  const content = new TextEncoder().encode("content")
  const key = TestBundle.sha256(content)

  const filesIn = (path: string) =>
    Effect.map(
      Effect.promise(() => readdir(path, { recursive: true })),
      (names) => names.sort(),
    )

  it.effect("has a file of each content, under its hash, and nothing besides", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const { put, remove } = yield* Effect.provide(BlobStore, Directory.layer({ path }))
      yield* put(key, content)
      yield* put(key, content)
      const two = key.slice(0, 2)
      expect(yield* filesIn(path)).toEqual([two, `${two}/${key}.gz`, "tmp"].sort())
      yield* remove([key])
      expect(yield* filesIn(path)).toEqual([two, "tmp"].sort())
    }),
  )

  it.effect("makes durable what somebody else has given its name, and may not have come to", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const { put } = yield* Effect.provide(BlobStore, Directory.layer({ path }))
      yield* put(key, content)
      const synced = yield* recordSyncs(path)
      yield* put(key, content)
      const ids = yield* Effect.promise(() => Promise.all([join(path, key.slice(0, 2)), path].map(idOf)))
      expect(synced).toEqual(ids)
    }),
  )

  it.effect("tells what is damaged from what is there and from what is not", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const { get, put } = yield* Effect.provide(BlobStore, Directory.layer({ path }))
      yield* put(key, content)
      const other = TestBundle.sha256("other")
      yield* put(other, content)
      expect(yield* Effect.flip(get(other))).toBeInstanceOf(StorageError)
      const file = join(path, key.slice(0, 2), `${key}.gz`)
      yield* Effect.promise(() => writeFile(file, "not compressed"))
      expect(yield* Effect.flip(get(key))).toBeInstanceOf(StorageError)
    }),
  )

  it.effect("takes no key that leads out of it", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const { get, put } = yield* Effect.provide(BlobStore, Directory.layer({ path: join(path, "inner") }))
      for (const wrong of ["../../x", "a/../../../b", "", key.toUpperCase()]) {
        expect(yield* Effect.flip(put(wrong, content))).toBeInstanceOf(StorageError)
        expect(yield* Effect.flip(get(wrong))).toBeInstanceOf(StorageError)
      }
      expect(yield* filesIn(path)).toEqual(["inner", "inner/tmp"])
    }),
  )

  it.live("removes what others have left unfinished, and not what somebody may be writing", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* Effect.promise(async () => {
        await mkdir(join(path, "tmp"))
        for (const name of ["old", "young"]) await writeFile(join(path, "tmp", name), "half of it")
        await utimes(join(path, "tmp", "old"), 0, 0)
      })
      yield* Effect.provide(BlobStore, Directory.layer({ path }))
      expect(yield* filesIn(path)).toEqual(["tmp", "tmp/young"])
    }),
  )

  it.effect("measures the disk that it is on", () =>
    Effect.gen(function* () {
      const { disk } = yield* Effect.provide(BlobStore, Directory.layer({ path: yield* folder }))
      const { freeBytes, totalBytes } = yield* disk
      expect(totalBytes).toBeGreaterThan(0)
      expect(freeBytes).toBeLessThanOrEqual(totalBytes)
    }),
  )

  it.effect("cannot be opened where a file is in its way", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "file")
      yield* Effect.promise(() => writeFile(path, ""))
      const opened = Effect.provide(BlobStore, Directory.layer({ path }))
      expect(yield* Effect.flip(opened)).toBeInstanceOf(StorageError)
    }),
  )
})
