/**
 * Counts attempts at signing in, in files: a port of the core that takes part in no transaction, and so can be kept
 * anywhere. This one is for an instance of a single process, whose counts outlive it. A store for several nodes has the
 * same shape, and counts where all of them see it.
 */
import { createHash } from "node:crypto"
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { StorageError } from "@errata/core"
import { ThrottleStore } from "@errata/core/ports"
import { Clock, Duration, Effect, Layer, Schema, Semaphore } from "effect"

/** The folder is made where it is missing. Nobody else writes in it. */
export const make = (folder: string): Effect.Effect<ThrottleStore["Service"], StorageError> =>
  Effect.gen(function* () {
    yield* attempt("make the folder", () => mkdir(folder, { recursive: true }))
    // Reading a count and writing the next one is one step.
    const oneAtATime = (yield* Semaphore.make(1)).withPermits(1)
    // Keys are what strangers send: names of files are made of their hashes.
    const pathOf = (key: string) => join(folder, `${createHash("sha256").update(key).digest("hex")}.json`)

    const take = (path: string, limit: number, window: Duration.Duration) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const last = yield* read(path)
        const count =
          last === null || last.endsAt <= now
            ? { attempts: 1, endsAt: now + Duration.toMillis(window) }
            : { ...last, attempts: last.attempts + 1 }
        yield* write(path, count)
        return { allowed: count.attempts <= limit, after: Duration.millis(count.endsAt - now) }
      })

    const expire = (limit: number) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        let removed = 0
        for (const name of yield* attempt("list the counts", () => readdir(folder))) {
          if (removed === limit) break
          // What a killed process left of a count that it wrote; the next one of that key replaces it.
          if (!name.endsWith(".json")) continue
          const count = yield* read(join(folder, name))
          if (count === null || count.endsAt > now) continue
          yield* remove(join(folder, name))
          removed++
        }
        return removed
      })

    return {
      take: (key, limit, window) => oneAtATime(take(pathOf(key), limit, window)),
      reset: (key) => oneAtATime(remove(pathOf(key))),
      expire: (limit) => oneAtATime(expire(limit)),
    }
  })

/** In place of a storage's own: `Layer.merge(PostgresStorage.layer({ url }), FolderThrottleStore.layer(folder))`. */
export const layer = (folder: string): Layer.Layer<ThrottleStore, StorageError> =>
  Layer.effect(ThrottleStore, make(folder))

// internal

/** `endsAt` in epoch milliseconds. */
const Count = Schema.fromJsonString(Schema.Struct({ attempts: Schema.Int, endsAt: Schema.Number }))

/** What the driver throws becomes the one failure of storages. A disk may have room again: callers may try later. */
const attempt = <A>(operation: string, run: () => Promise<A>): Effect.Effect<A, StorageError> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      new StorageError({ operation: `throttles: ${operation}`, reason: "unavailable", cause }),
  })

const read = (path: string): Effect.Effect<typeof Count.Type | null, StorageError> =>
  attempt("read a count", async () => {
    try {
      return Schema.decodeSync(Count)(await readFile(path, "utf8"))
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return null
      throw error
    }
  })

/** Whole or not at all, also where the process is killed. */
const write = (path: string, count: typeof Count.Type): Effect.Effect<void, StorageError> =>
  attempt("write a count", async () => {
    await writeFile(`${path}.new`, Schema.encodeSync(Count)(count))
    await rename(`${path}.new`, path)
  })

const remove = (path: string): Effect.Effect<void, StorageError> =>
  attempt("remove a count", () => rm(path, { force: true }))
