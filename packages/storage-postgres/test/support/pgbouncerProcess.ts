/**
 * Runs PgBouncer in front of a database. Scripts run this file directly with Node's type stripping, so it imports only
 * Node modules and uses erasable types.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, statSync } from "node:fs"
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"

export const program = "/usr/sbin/pgbouncer"

export const isInstalled = existsSync(program)

export type Mode = "session" | "transaction"

/** Starts a pooler in a mode on a port, with additional settings. Returns its URL and a function that ends it. */
export const launch = async (database: URL, mode: Mode, port: number, more: ReadonlyArray<string> = []) => {
  const folder = await mkdtemp(join(tmpdir(), "errata-pgbouncer-"))
  const settings = join(folder, "pgbouncer.ini")
  await chmod(folder, 0o755)
  await writeFile(settings, [...settingsFor(database, port, mode), ...more, ""].join("\n"))
  // PgBouncer refuses to run as root, and the folder of the socket is private.
  const { gid, uid } = statSync(hostOf(database), { throwIfNoEntry: false }) ?? { gid: 65_534, uid: 65_534 }
  const account = process.getuid?.() === 0 && uid !== 0 ? { gid, uid } : {}
  const pooler = spawn(program, [settings], { ...account, stdio: "ignore" })
  const end = async () => {
    if (pooler.exitCode === null && pooler.kill("SIGKILL")) await once(pooler, "exit")
    await rm(folder, { recursive: true })
  }
  const deadline = performance.now() + 20_000
  while (!(await accepts(port))) {
    if (performance.now() > deadline) {
      await end()
      throw new Error("PgBouncer does not accept connections")
    }
    await pause(20)
  }
  return { url: `postgres://${database.username}@127.0.0.1:${port}/pooled`, end }
}

// internal

const settingsFor = (to: URL, port: number, mode: Mode): ReadonlyArray<string> => [
  "[databases]",
  `pooled = host=${hostOf(to)} port=${to.searchParams.get("port") ?? (to.port || 5432)} dbname=${to.pathname.slice(1)} user=${to.username}${to.password === "" ? "" : ` password=${to.password}`}`,
  "[pgbouncer]",
  "listen_addr = 127.0.0.1",
  `listen_port = ${port}`,
  "unix_socket_dir =",
  "auth_type = any",
  `pool_mode = ${mode}`,
]

/** The host, or the folder of a socket. */
const hostOf = (url: URL): string => url.searchParams.get("host") ?? url.hostname

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy()
      resolve(true)
    })
    socket.on("error", () => resolve(false))
  })
