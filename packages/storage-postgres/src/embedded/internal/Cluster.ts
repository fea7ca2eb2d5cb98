/** Creates the files of the database, completely or not at all. */
import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { lchown, mkdtemp, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { DataFolderUnusable, StartFailed } from "../EmbeddedPostgresError.js"
import type { Ids } from "./Account.js"
import { attempt, run } from "./Commands.js"
import { diskFull, isDiskFull } from "./DataFolder.js"
import type { RunFolder } from "./RunFolder.js"

const majorVersion = "18"

/** Role and database of the application. The role is not a superuser, so SQL cannot reach files or programs. */
export const application = "errata"
export const superuser = "postgres"

export const pathIn = (dataDir: string) => join(dataDir, "cluster")

/**
 * Creates the cluster on first use.
 *
 * It is created under a temporary name and renamed once it is complete and synced. A folder with the final name is
 * therefore always complete, even after a crash.
 */
export const ensure = Effect.fn("Cluster.ensure")(function* (
  dataDir: string,
  runFolder: RunFolder,
  durable: boolean,
) {
  const cluster = pathIn(dataDir)
  yield* attempt(`leftovers in ${dataDir} could not be deleted`, () => removeUnfinished(dataDir))
  if (!existsSync(cluster)) {
    yield* Effect.annotateLogs(Effect.logInfo("Creating the embedded database"), { dataDir })
    yield* create(dataDir, runFolder, durable)
  }
  const version = yield* attempt(`${cluster} is not a database`, () =>
    readFile(join(cluster, "PG_VERSION"), "utf8"),
  )
  if (version.trim() !== majorVersion) {
    return yield* new StartFailed({
      detail: `PostgreSQL ${majorVersion} cannot read ${cluster}, which PostgreSQL ${version.trim()} created`,
    })
  }
  const { owner } = runFolder.account
  if (
    owner !== undefined &&
    (yield* attempt(`${cluster} is unreadable`, () => stat(cluster))).uid !== owner.uid
  ) {
    yield* attempt(`the owner of ${cluster} could not be changed to ${runFolder.account.description}`, () =>
      give(cluster, owner),
    )
  }
  return cluster
})

/** Reads the password that replaces the private socket on Windows. */
export const password = (dataDir: string): Effect.Effect<string, StartFailed> =>
  attempt(`the password in ${dataDir} is unreadable`, () => readFile(join(dataDir, "password"), "utf8"))

// internal

const unfinished = "init-"

const removeUnfinished = async (dataDir: string) => {
  for (const name of await readdir(dataDir)) {
    if (name.startsWith(unfinished))
      await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 5 })
  }
}

const create = Effect.fn("Cluster.create")(function* (
  dataDir: string,
  runFolder: RunFolder,
  durable: boolean,
) {
  const folder = yield* attempt(`no folder could be made in ${dataDir}`, () =>
    mkdtemp(join(dataDir, unfinished)),
  )
  // Free the disk space at once.
  yield* Effect.onError(fill(dataDir, folder, runFolder, durable), () =>
    Effect.ignore(Effect.tryPromise(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))),
  )
})

const fill = Effect.fnUntraced(function* (
  dataDir: string,
  folder: string,
  { account, programs }: RunFolder,
  durable: boolean,
) {
  const { owner } = account
  if (owner !== undefined) {
    yield* attempt(`the owner of ${folder} could not be changed to ${account.description}`, () =>
      lchown(folder, owner.uid, owner.gid),
    )
  }
  const at = account.pathOf(folder)
  const made = yield* run(account, folder, programs.initdb, [
    `--pgdata=${at}`,
    `--username=${superuser}`,
    "--encoding=UTF8",
    // Sorts by code point, which is fast and portable, and supports Unicode case mapping.
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--no-instructions",
    // The statements below change files again. All files are synced at the end.
    "--no-sync",
    ...(yield* authentication(dataDir)),
  ])
  if (made.code !== 0) return yield* failed(dataDir, "initdb failed", made.output)
  const secret = process.platform === "win32" ? ` password '${yield* password(dataDir)}'` : ""
  // One statement per line. The single-user server needs no socket and exits at the end of its input.
  const statements = [
    `create role ${application} login${secret}`,
    `create database ${application} owner ${application}`,
    "",
  ].join("\n")
  const single = ["--single", "-D", at, "-c", "exit_on_error=on", "postgres"]
  const prepared = yield* run(account, folder, programs.postgres, single, statements)
  if (prepared.code !== 0) {
    return yield* failed(dataDir, "the database could not be prepared", prepared.output)
  }
  if (durable) {
    const synced = yield* run(account, folder, programs.initdb, ["--sync-only", `--pgdata=${at}`])
    if (synced.code !== 0) return yield* failed(dataDir, "the disk could not be written", synced.output)
  }
  yield* attempt(`${folder} could not be renamed`, async () => {
    await rename(folder, pathIn(dataDir))
    if (process.platform === "win32") return
    const handle = await open(dataDir)
    await handle.sync().finally(() => handle.close())
  })
})

/** Keeps only the error lines of a program's output. */
const failed = (dataDir: string, detail: string, output: string) =>
  isDiskFull(output)
    ? new DataFolderUnusable({ dataDir, detail: diskFull })
    : new StartFailed({ detail, log: output.split("\n").filter(isComplaint).join("\n") || output })

const isComplaint = (line: string) => /\b(error|fatal|panic|could not)\b/i.test(line)

const authentication = (dataDir: string) => {
  // Only users with access to the socket's folder can connect.
  if (process.platform !== "win32") return Effect.succeed(["--auth-local=trust", "--auth-host=reject"])
  const file = join(dataDir, "password")
  return attempt("the password could not be written", async () => {
    await writeFile(file, randomBytes(24).toString("hex"), { mode: 0o600 })
    return ["--auth=scram-sha-256", `--pwfile=${file}`]
  })
}

/** Changes the owner of links themselves and never follows them: their targets may belong to others. */
const give = async (folder: string, to: Ids): Promise<void> => {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await give(path, to)
    else await lchown(path, to.uid, to.gid)
  }
  // The folder last, so that an interrupted change of owners starts over at the next start.
  await lchown(folder, to.uid, to.gid)
}
