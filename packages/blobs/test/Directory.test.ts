/** The contract of blob stores on a folder, and behavior that only files have. */

import { execFile } from "node:child_process"
import { type FileHandle, mkdir, mkdtemp, open, readdir, rm, stat, utimes, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, it } from "@effect/vitest"
import { StorageError } from "@errata/core"
import { BlobStore, ObjectStore } from "@errata/core/ports"
import { MemoryStorage } from "@errata/storage-memory"
import { blobStoreSuite, storageContract, TestBundle } from "@errata/testing"
import { Effect, Fiber, Layer } from "effect"
import { vi } from "vitest"
import * as Directory from "../src/directory.js"
import { objectStoreCases } from "./support/objects.js"

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "errata-blobs-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true })),
)

const idOf = async (path: string): Promise<number> => (await stat(path)).ino

/** Records the inode numbers of files and folders that are synced from now on. */
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

  it.effect("stores one file for each content, named by its hash", () =>
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

  it.effect("syncs the folders of a blob that already exists", () =>
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

  it.effect("rejects a damaged file instead of reporting it as missing", () =>
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

  it.effect("rejects keys that lead out of the folder", () =>
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

  it.live("removes old temporary files, and keeps recent ones", () =>
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

  it.effect("measures its disk", () =>
    Effect.gen(function* () {
      const { disk } = yield* Effect.provide(BlobStore, Directory.layer({ path: yield* folder }))
      const { freeBytes, totalBytes } = yield* disk
      expect(totalBytes).toBeGreaterThan(0)
      expect(freeBytes).toBeLessThanOrEqual(totalBytes)
    }),
  )

  it.effect("cannot be opened if its path is a file", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "file")
      yield* Effect.promise(() => writeFile(path, ""))
      const opened = Effect.provide(BlobStore, Directory.layer({ path }))
      expect(yield* Effect.flip(opened)).toBeInstanceOf(StorageError)
    }),
  )
})

describe("Objects in a folder", () => {
  objectStoreCases(Layer.unwrap(Effect.map(folder, (path) => Directory.layerObjects({ path }))))

  const store = (path: string) =>
    Effect.map(Effect.provide(ObjectStore, Directory.layerObjects({ path })), (found) => found!)

  it.live("are removed with temporary files of killed processes", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const { put, remove } = yield* store(path)
      yield* put("7/whole", (append) => append(Buffer.from("whole")))
      yield* Effect.promise(() => writeFile(join(path, "tmp", "7.half"), "half of it"))
      yield* remove("7/half")
      yield* remove("7/whole")
      expect((yield* Effect.promise(() => readdir(path, { recursive: true }))).sort()).toEqual(
        ["objects", "objects/7", "tmp"].sort(),
      )
    }),
  )

  it.live("reject names that lead out of the folder", () =>
    Effect.gen(function* () {
      const { put, read } = yield* store(yield* folder)
      for (const name of ["../x", "a/../../b", "", "/a", "A"]) {
        expect((yield* Effect.flip(read(name, 0, 1))).message).toContain("a plain name")
        expect((yield* Effect.flip(put(name, () => Effect.void))).message).toContain("a plain name")
      }
    }),
  )

  it.live("time out on a folder that hangs, with few pending calls", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const { put, read } = yield* store(path)
      yield* put("7/pipe", (append) => append(Buffer.from("x")))
      // Opening a pipe without a writer hangs, like a network file system whose server is down.
      const file = join(path, "objects", "7", "pipe")
      yield* Effect.promise(async () => {
        await rm(file)
        await promisify(execFile)("mkfifo", [file])
      })
      const hanging = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 10 }, () => Effect.flip(read("7/pipe", 0, 1))),
          { concurrency: "unbounded" },
        ),
      )
      // The thread pool stays available to others.
      yield* Effect.sleep("100 millis")
      yield* Effect.promise(() => stat(path))
      const errors = yield* Fiber.join(hanging)
      expect(errors.map(({ message }) => message)).toEqual(
        errors.map(() => "ObjectStore.read: the folder did not respond in time"),
      )
      // Ends the calls: opening a pipe for reading and writing does not block.
      yield* Effect.promise(async () => (await open(file, "r+")).close())
    }),
  )
})
