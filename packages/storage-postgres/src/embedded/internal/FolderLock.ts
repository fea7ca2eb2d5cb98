/** One process at a time on a data folder: a file that names its holder, valid as long as that process lives. */
import { randomUUID } from "node:crypto"
import { readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Option, Schema, type Scope } from "effect"
import { DataFolderInUse, StartFailed } from "../EmbeddedPostgresError.js"
import { attempt } from "./Commands.js"
import { startOf } from "./ProcessTable.js"

/** Holds the folder until the scope closes. */
export const acquire = (dataDir: string): Effect.Effect<void, DataFolderInUse | StartFailed, Scope.Scope> =>
  Effect.acquireRelease(take(dataDir), (content) =>
    Effect.promise(async () => {
      const file = join(dataDir, "lock")
      if ((await readFile(file, "utf8").catch(() => "")) === content) await rm(file, { force: true })
    }),
  )

/** The id of the live process that holds the folder. */
export const holder = (dataDir: string): Effect.Effect<Option.Option<number>> =>
  Effect.promise(() => readFile(join(dataDir, "lock"), "utf8").catch(() => "")).pipe(Effect.flatMap(holderIn))

// internal

const Holder = Schema.parseJson(Schema.Struct({ pid: Schema.Int, start: Schema.String, id: Schema.String }))

const take = Effect.fn("FolderLock.take")(function* (dataDir: string) {
  const file = join(dataDir, "lock")
  const start = Option.getOrElse(yield* startOf(process.pid), () => "")
  // The id tells two servers of one process apart.
  const content = yield* Effect.orDie(Schema.encode(Holder)({ pid: process.pid, start, id: randomUUID() }))
  for (let attempts = 0; attempts < 20; attempts++) {
    const created = yield* attempt(`no lock could be written in ${dataDir}`, () => createNew(file, content))
    if (created) return content
    const found = yield* Effect.promise(() => readFile(file, "utf8").catch(() => ""))
    const pid = yield* holderIn(found)
    if (Option.isSome(pid)) return yield* new DataFolderInUse({ dataDir, pid: pid.value })
    // An empty file is one that its holder is about to write, unless that takes too long.
    if (found === "" && attempts < 10) yield* Effect.sleep("50 millis")
    else yield* discard(file, found)
  }
  return yield* new StartFailed({ detail: `the lock in ${dataDir} kept changing hands` })
})

const holderIn = Effect.fnUntraced(function* (content: string) {
  const parsed = Schema.decodeOption(Holder)(content)
  if (Option.isNone(parsed)) return Option.none<number>()
  const start = yield* startOf(parsed.value.pid)
  return Option.isSome(start) && start.value === parsed.value.start
    ? Option.some(parsed.value.pid)
    : Option.none()
})

const createNew = (file: string, content: string) =>
  // Other users have to see that it is held.
  writeFile(file, content, { flag: "wx", mode: 0o644 }).then(
    () => true,
    (error: NodeJS.ErrnoException) => (error.code === "EEXIST" ? false : Promise.reject(error)),
  )

/** Moved aside before it is removed: of two processes that found the same dead holder, only one gets the file. */
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
