// Runs applications of the packed packages on PostgreSQL: one that crashes, and one behind PgBouncer, where that is installed.
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, statSync } from "node:fs"
import { chmod, mkdtemp, writeFile } from "node:fs/promises"
import { connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { defer, end, own, ownFolder, scoped } from "../bench/lib/cleanup.mjs"
import { createDatabase, startDatabase } from "../bench/lib/database.mjs"

const program = "/usr/sbin/pgbouncer"

/** `folder` has the applications and what they need, `run` runs a program. */
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
    if (!existsSync(program)) return console.log("PgBouncer: skipped, it is not installed")
    for (const mode of ["session", "transaction"]) {
      const database = await createDatabase(server.url)
      const pooled = await startPooler(new URL(database.url), mode)
      run(`PgBouncer in ${mode} mode`, process.execPath, ["app.mjs", pooled], { cwd: folder })
    }
  })

// internal

const startPooler = async (database, mode) => {
  const folder = ownFolder(await mkdtemp(join(tmpdir(), "errata-pgbouncer-")))
  const port = await freePort()
  const settings = join(folder, "pgbouncer.ini")
  // A folder if the server has a socket, which is private. PgBouncer refuses to run as root.
  const host = database.searchParams.get("host") ?? database.hostname
  const { gid, uid } = statSync(host, { throwIfNoEntry: false }) ?? { gid: 65_534, uid: 65_534 }
  const target = `host=${host} port=${database.searchParams.get("port") ?? (database.port || 5432)}`
  const user = `user=${database.username}${database.password === "" ? "" : ` password=${database.password}`}`
  const lines = [
    "[databases]",
    `pooled = ${target} dbname=${database.pathname.slice(1)} ${user}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = any",
    `pool_mode = ${mode}`,
  ]
  await chmod(folder, 0o755)
  await writeFile(settings, lines.join("\n"))
  const account = process.getuid?.() === 0 && uid !== 0 ? { gid, uid } : {}
  const pooler = own(spawn(program, [settings], { ...account, stdio: "ignore" }))
  defer(() => end(pooler))
  for (let tries = 0; !(await accepts(port)); tries++) {
    if (tries > 500 || pooler.exitCode !== null) throw new Error("PgBouncer does not accept connections")
    await pause(20)
  }
  return `postgres://${database.username}@127.0.0.1:${port}/pooled`
}

const freePort = async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address()
  server.close()
  return port
}

const accepts = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy()
      resolve(true)
    })
    socket.on("error", () => resolve(false))
  })
