/** The data folder of an embedded database, seen from outside the server. */
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

/** A small file system of its own, or null without the right to mount one. */
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

/** The database of the server that currently runs on the folder. */
export const databaseUrl = (dataDir: string): Redacted.Redacted =>
  Redacted.make(`postgresql://errata@localhost:5432/errata?host=${encodeURIComponent(runFolder(dataDir))}`)

/** The process id of the postmaster. */
export const postmaster = (dataDir: string): number =>
  Number.parseInt(readFileSync(join(dataDir, "cluster", "postmaster.pid"), "utf8"), 10)

export interface Processes {
  readonly pids: ReadonlyArray<number>
}

/** All processes of the folder's database: PostgreSQL, its children and the watchdog. */
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

/** Processes with the folder in their command line, for a database that may never have started. */
export const processesOf = async (dataDir: string): Promise<ReadonlyArray<string>> =>
  (await processTable())
    .filter(
      ({ command }) => command.includes(dataDir) || (hasRun(dataDir) && command.includes(runFolder(dataDir))),
    )
    .map(({ command }) => command)

export const remaining = async ({ pids }: Processes): Promise<ReadonlyArray<number>> =>
  (await processTable())
    // The system may have reused a process id.
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
