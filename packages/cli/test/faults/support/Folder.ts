/** The data folder of an embedded database, seen from outside of the server that has it. */
import { execFile } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { Effect, Redacted } from "effect"

export const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "errata-faults-"))),
  (path) =>
    Effect.sync(() => rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })),
)

/** A file system of its own; null where the tests do not have the right to mount one. */
export const smallDisk = (megabytes: number) =>
  Effect.flatMap(temporary, (folder) =>
    Effect.acquireRelease(
      Effect.promise(() =>
        execute("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder]).then(
          () => folder,
          () => null,
        ),
      ),
      (mounted) =>
        mounted === null ? Effect.void : Effect.promise(() => execute("umount", ["-l", mounted])),
    ),
  )

/** The database of the server that runs on the folder now. */
export const databaseUrl = (dataDir: string): Redacted.Redacted =>
  Redacted.make(`postgresql://errata@localhost:5432/errata?host=${encodeURIComponent(runFolder(dataDir))}`)

/** The process id of PostgreSQL's first process, which all others of it stem from. */
export const postmaster = (dataDir: string): number =>
  Number.parseInt(readFileSync(join(dataDir, "cluster", "postmaster.pid"), "utf8"), 10)

export interface Processes {
  readonly pids: ReadonlyArray<number>
}

/** Everything that runs for the database of the folder: PostgreSQL with its children, and what watches over it. */
export const processes = async (dataDir: string): Promise<Processes> => {
  const first = postmaster(dataDir)
  const folder = runFolder(dataDir)
  const all = await processTable()
  return {
    pids: all
      .filter(({ pid, parent, command }) => pid === first || parent === first || command.includes(folder))
      .map(({ pid }) => pid),
  }
}

/** What runs for the folder whose database may never have come up: all that has it in its command line. */
export const processesOf = async (dataDir: string): Promise<ReadonlyArray<string>> =>
  (await processTable())
    .filter(
      ({ command }) => command.includes(dataDir) || (hasRun(dataDir) && command.includes(runFolder(dataDir))),
    )
    .map(({ command }) => command)

/** Those of the processes that still run. */
export const remaining = async ({ pids }: Processes): Promise<ReadonlyArray<number>> =>
  (await processTable())
    // A process id may have gone to somebody else.
    .filter(({ pid, command }) => pids.includes(pid) && /postgres|watchdog/.test(command))
    .map(({ pid }) => pid)

// internal

const hasRun = (dataDir: string) => existsSync(join(dataDir, "run"))

const runFolder = (dataDir: string) => readFileSync(join(dataDir, "run"), "utf8").trim()

const execute = promisify(execFile)

const processTable = async () => {
  const { stdout } = await execute("ps", ["-A", "-o", "pid=,ppid=,stat=,args="], {
    maxBuffer: 16 * 1024 * 1024,
  })
  return stdout.split("\n").flatMap((line) => {
    const [, pid, parent, state, command] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? []
    return pid === undefined || state!.startsWith("Z")
      ? []
      : [{ pid: Number(pid), parent: Number(parent), command: command! }]
  })
}
