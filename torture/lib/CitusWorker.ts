/** A worker of a Citus cluster on this machine, to be killed and started again. */
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import type { Cleanup } from "./Cleanup.js"
import { query } from "./Storage.js"
import { until } from "./Wait.js"

export interface CitusWorker {
  /** Kills the server, which takes all of its processes along. */
  readonly kill: () => void
  readonly start: () => Promise<void>
}

/** `url` is of a superuser of the worker. If the worker is down when the scenario ends, it is started again. */
export const of = async (url: string, cleanup: Cleanup): Promise<CitusWorker> => {
  const [row] = await query(
    url,
    "SELECT current_setting('data_directory') AS folder, (SELECT setting FROM pg_config WHERE name = 'BINDIR') AS bin",
  )
  const { bin, folder } = row as { readonly bin: string; readonly folder: string }
  const command = [join(bin, "pg_ctl"), "-D", folder, "-l", `${folder}.log`, "-w", "start"]
  let started: Promise<void> | undefined = Promise.resolve()
  // Refused as long as a process of the killed one lives.
  const start = () => {
    started ??= until(
      "the worker runs again",
      () =>
        run(command).then(
          () => true,
          () => false,
        ),
      60_000,
    )
    return started
  }
  cleanup.defer(start)
  return {
    kill: () => {
      process.kill(Number.parseInt(readFileSync(join(folder, "postmaster.pid"), "utf8"), 10), "SIGKILL")
      started = undefined
    },
    start,
  }
}

// internal

/** PostgreSQL does not run as root. */
const run = ([program, ...args]: ReadonlyArray<string>) => {
  const execute = promisify(execFile)
  return process.getuid?.() === 0
    ? execute("su", ["postgres", "-c", [program, ...args].join(" ")])
    : execute(program!, args)
}
