/** PostgreSQL of the system's packages, with its client programs. The embedded one has no `pg_dump`. */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { chownSync, existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { Effect, type Scope } from "effect"
import * as Folder from "../faults/support/Folder.js"
import { until } from "../faults/support/Wait.js"
import { freePort } from "./FreePort.js"

const versions = "/usr/lib/postgresql"
const programs = ["postgres", "initdb", "psql", "pg_dump", "pg_restore", "pg_isready"]

/** The folder of the programs of the newest version, or null if none is complete. */
export const bin: string | null =
  (existsSync(versions) ? readdirSync(versions) : [])
    .sort((one, other) => Number(other) - Number(one))
    .map((version) => join(versions, version, "bin"))
    .find((folder) => programs.every((program) => existsSync(join(folder, program)))) ?? null

/** Starts a server and returns the URL of an empty database. The server ends with the scope. */
export const start = (bin: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.gen(function* () {
    const folder = yield* Folder.temporary
    const port = String(yield* freePort)
    // PostgreSQL refuses to run as root.
    const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
    if (account.uid !== undefined) chownSync(folder, account.uid, account.gid)
    const data = join(folder, "data")
    const created = ["-D", data, "-U", "errata", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
    yield* Effect.promise(() =>
      promisify(execFile)(join(bin, "initdb"), created, { cwd: folder, ...account }),
    )
    const settings = ["-p", port, "-k", folder, "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"]
    yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(join(bin, "postgres"), ["-D", data, ...settings], { cwd: folder, stdio: "ignore", ...account }),
      ),
      (server) =>
        Effect.promise(async () => {
          const ended = once(server, "exit")
          if (server.exitCode === null && server.kill("SIGQUIT")) await ended
        }),
    )
    const isReady = () =>
      promisify(execFile)(join(bin, "pg_isready"), ["-h", "127.0.0.1", "-p", port]).then(
        () => true,
        () => false,
      )
    yield* until("PostgreSQL accepts connections", isReady)
    return `postgres://errata@127.0.0.1:${port}/postgres`
  })
