// Runs applications of the packed packages on PostgreSQL: one that crashes, and one behind PgBouncer, if installed.
import { spawnSync } from "node:child_process"
import { defer, scoped } from "../bench/lib/cleanup.mjs"
import { createDatabase, startDatabase } from "../bench/lib/database.mjs"
import { isInstalled, launch } from "../packages/storage-postgres/test/support/pgbouncerProcess.ts"
import { freePort } from "../packages/storage-postgres/test/support/port.ts"

/** `folder` contains the applications and their packages; `run` runs a program. */
export const checkPostgres = ({ folder, run }) =>
  scoped(async () => {
    const server = await startDatabase()
    const { url } = await createDatabase(server.url)
    const crash = ["crash.mjs", url]
    const { status, stderr } = spawnSync(process.execPath, crash, { cwd: folder, encoding: "utf8" })
    if (status !== 1 || !stderr.includes("RangeError: crashed")) {
      throw new Error(`A process that an error ends exited with ${status}: ${stderr}`)
    }
    run("a crashed process has reported its error", process.execPath, [...crash, "read"], { cwd: folder })
    if (!isInstalled) return console.log("PgBouncer: skipped, it is not installed")
    for (const mode of ["session", "transaction"]) {
      const database = await createDatabase(server.url)
      const pooler = await launch(new URL(database.url), mode, await freePort())
      defer(pooler.end)
      run(`PgBouncer in ${mode} mode`, process.execPath, ["app.mjs", pooler.url], { cwd: folder })
    }
  })
