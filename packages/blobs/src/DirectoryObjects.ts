/** Stores named objects as files in a folder. */
import { type FileHandle, mkdir, open, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Waiting } from "@errata/core/internal"
import { type AppendObject, ObjectStore, ObjectStoreError, type ObjectStoreService } from "@errata/core/ports"
import { Clock, type Duration, Effect, Layer, Option, Semaphore } from "effect"
import { finish, orNull, prepare, syncNames, unfinished } from "./DirectoryFiles.js"

export const layer = (path: string): Layer.Layer<never> => Layer.effect(ObjectStore, make(path))

/** Creates and reads nothing before the first object is written. */
export const make = (path: string): Effect.Effect<ObjectStoreService> =>
  Effect.sync(() => {
    const writing = calls(Semaphore.makeUnsafe(1), "2 minutes")
    const reading = calls(Semaphore.makeUnsafe(2), "5 seconds")

    const opened = (name: string) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        writing("ObjectStore.put", async () => {
          await prepare(path, now)
          return await open(temporaryOf(path, name), "wx")
        }),
      )

    const finished = (name: string, handle: FileHandle) =>
      writing("ObjectStore.put", async () => {
        const file = fileOf(path, name)
        await mkdir(dirname(file), { recursive: true })
        await finish(handle, temporaryOf(path, name), file)
        await syncNames(path, dirname(file))
      })

    const undo = (name: string, handle: FileHandle) =>
      writing("ObjectStore.put", async () => {
        await handle.close().catch(() => {})
        await rm(temporaryOf(path, name), { force: true })
      })

    return {
      put: (name, write) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.flatMap(restore(opened(name)), (handle) => {
            const append: AppendObject = (chunk) => writing("ObjectStore.put", () => handle.writeFile(chunk))
            return Effect.onError(restore(Effect.tap(write(append), () => finished(name, handle))), () =>
              Effect.ignore(Waiting.atMost(patience)(undo(name, handle))),
            )
          }),
        ),

      read: (name, offset, length) =>
        Effect.map(
          reading("ObjectStore.read", async () => {
            const handle = await orNull(open(fileOf(path, name), "r"))
            if (handle === null) return null
            try {
              const buffer = Buffer.allocUnsafe(length)
              const { bytesRead } = await handle.read(buffer, 0, length, offset)
              return buffer.subarray(0, bytesRead)
            } finally {
              await handle.close()
            }
          }),
          Option.fromNullishOr,
        ),

      remove: (name) =>
        writing("ObjectStore.remove", async () => {
          await rm(temporaryOf(path, name), { force: true })
          await rm(fileOf(path, name), { force: true })
        }),
    }
  })

// internal

/** Time limit for removing a temporary file. If it fails, removing the object removes the file too. */
const patience = "5 seconds"

/**
 * File system calls with a time limit. On a hanging network file system, each call blocks a thread of Node's small
 * pool, so concurrency is limited. A call that hangs keeps its permit.
 */
const calls =
  (places: Semaphore.Semaphore, limit: Duration.Input) =>
  <A>(operation: string, work: () => Promise<A>): Effect.Effect<A, ObjectStoreError> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        yield* restore(places.take(1))
        const working = work().finally(() => Effect.runSync(places.release(1)))
        // The caller may have given up.
        working.catch(() => {})
        return yield* restore(
          Effect.tryPromise({
            try: () => working,
            catch: (cause) => new ObjectStoreError({ operation, cause }),
          }),
        )
      }),
    ).pipe(
      Effect.timeoutOrElse({
        duration: limit,
        orElse: () =>
          Effect.fail(
            new ObjectStoreError({ operation, cause: new Error("the folder did not respond in time") }),
          ),
      }),
    )

const fileOf = (path: string, name: string): string => join(path, "objects", checked(name))

/** Rejects names that could lead out of the folder. */
const checked = (name: string): string => {
  if (!/^[a-z0-9_-]+(\/[a-z0-9_-]+)*$/.test(name)) throw new TypeError("an object must have a plain name")
  return name
}

const temporaryOf = (path: string, name: string): string =>
  unfinished(path, checked(name).replaceAll("/", "."))
