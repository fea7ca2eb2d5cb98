/** Locks a data folder with a file that names its holder. The lock is valid while that process lives. */
import { randomUUID } from "node:crypto"
import { readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Option, Schema, type Scope } from "effect"
import { DataFolderInUse, type DataFolderUnusable, StartFailed } from "../EmbeddedPostgresError.js"
import { unusable } from "./DataFolder.js"
import * as OwnFile from "./OwnFile.js"
import { startOf } from "./ProcessTable.js"

/** Holds the lock until the scope closes. Returns the id of this holding. */
export const acquire = (
  dataDir: string,
): Effect.Effect<string, DataFolderInUse | DataFolderUnusable | StartFailed, Scope.Scope> =>
  Effect.acquireRelease(take(dataDir), ({ content }) =>
    Effect.promise(async () => {
      const file = join(dataDir, "lock")
      if ((await readFile(file, "utf8").catch(() => "")) === content) await rm(file, { force: true })
    }),
  ).pipe(Effect.map(({ id }) => id))

/** Returns the process id of the live holder. */
export const holder = (dataDir: string): Effect.Effect<Option.Option<number>> =>
  Effect.promise(() => readFile(join(dataDir, "lock"), "utf8").catch(() => "")).pipe(
    Effect.flatMap(holderIn),
    Effect.map(Option.map(({ pid }) => pid)),
  )

/** Returns the live holder with the id of its holding, and whether it runs as the same user. */
export const holding = (dataDir: string): Effect.Effect<Option.Option<Holding>> =>
  Effect.gen(function* () {
    const found = yield* OwnFile.read(join(dataDir, "lock"))
    const parsed = yield* holderIn(found.content)
    return Option.map(parsed, ({ id, pid }) => ({ id, pid, isOwn: found.isOwn }))
  })

export interface Holding {
  readonly pid: number
  readonly id: string
  readonly isOwn: boolean
}

// internal

const Holder = Schema.fromJsonString(
  Schema.Struct({ pid: Schema.Int, start: Schema.String, id: Schema.String }),
)

const take = Effect.fn("FolderLock.take")(function* (dataDir: string) {
  const file = join(dataDir, "lock")
  const start = Option.getOrElse(yield* startOf(process.pid), () => "")
  // The id distinguishes two servers in one process.
  const id = randomUUID()
  const content = yield* Effect.orDie(Schema.encodeEffect(Holder)({ pid: process.pid, start, id }))
  for (let attempts = 0; attempts < 20; attempts++) {
    const created = yield* Effect.tryPromise({
      try: () => createNew(file, content),
      catch: unusable(dataDir),
    })
    if (created) return { id, content }
    const found = yield* Effect.promise(() => readFile(file, "utf8").catch(() => ""))
    const holding = yield* holderIn(found)
    if (Option.isSome(holding)) return yield* new DataFolderInUse({ dataDir, pid: holding.value.pid })
    // An empty file is being written by its holder, unless it stays empty.
    if (found === "" && attempts < 10) yield* Effect.sleep("50 millis")
    else yield* discard(file, found)
  }
  return yield* new StartFailed({ detail: `other processes keep taking the lock in ${dataDir}` })
})

const holderIn = Effect.fnUntraced(function* (content: string) {
  const parsed = Schema.decodeOption(Holder)(content)
  if (Option.isNone(parsed)) return Option.none<typeof Holder.Type>()
  const start = yield* startOf(parsed.value.pid)
  return Option.filter(parsed, (holder) => Option.isSome(start) && start.value === holder.start)
})

const createNew = (file: string, content: string) =>
  // Readable for other users, who must see the lock.
  writeFile(file, content, { flag: "wx", mode: 0o644 }).then(
    () => true,
    (error: NodeJS.ErrnoException) => (error.code === "EEXIST" ? false : Promise.reject(error)),
  )

/** Renames the file before removing it, so that only one of several processes that found the holder dead removes it. */
const discard = (file: string, judged: string) =>
  Effect.promise(async () => {
    const aside = `${file}.${randomUUID()}`
    const moved = await rename(file, aside).then(
      () => true,
      () => false,
    )
    if (!moved) return
    const content = await readFile(aside, "utf8").catch(() => judged)
    if (content !== judged) await createNew(file, content)
    await rm(aside, { force: true })
  })
