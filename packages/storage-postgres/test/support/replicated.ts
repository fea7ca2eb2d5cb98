/** A primary and its synchronous standby: two PostgreSQL servers on loopback that can be killed and promoted. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { Effect, Redacted, type Scope } from "effect"
import pg from "pg"
import { locate } from "../../src/embedded/internal/Binaries.js"
import { environment, run } from "../../src/embedded/internal/Commands.js"
import * as RunFolder from "../../src/embedded/internal/RunFolder.js"
import { freePort } from "./port.js"

export interface Replicated {
  /** URL with both hosts, the initial primary first. */
  readonly url: Redacted.Redacted
  /** URL of the initial primary alone. */
  readonly first: Redacted.Redacted
  readonly second: Redacted.Redacted
  /** Kills the first server and all of its processes, like a machine failure. */
  readonly killFirst: Effect.Effect<void>
  /** Promotes the second server to primary. */
  readonly promoteSecond: Effect.Effect<void>
  /** Restarts the first server read-only. */
  readonly startFirstReadOnly: Effect.Effect<void>
}

/** All acknowledged commits are on the standby too. Both servers end with the scope. */
export const make: Effect.Effect<Replicated, Error, Scope.Scope> = Effect.gen(function* () {
  const root = yield* locate
  const folder = yield* RunFolder.make("/nonexistent", root)
  const { account, path, programs } = folder
  const execute = (within: string, program: string, args: ReadonlyArray<string>) =>
    Effect.filterOrFail(
      run(account, within, program, args),
      ({ code }) => code === 0,
      ({ output }) => new Error(`${program} failed: ${output}`),
    )
  yield* execute(path, "mkdir", ["first"])
  yield* execute(join(path, "first"), programs.initdb, [
    `--pgdata=${account.pathOf(join(path, "first"))}`,
    `--username=${user}`,
    "--auth=trust",
    "--encoding=UTF8",
    "--locale=C",
    "--no-sync",
  ])
  // In pg_hba.conf, `all` does not match replication connections.
  appendFileSync(join(path, "first", "pg_hba.conf"), "host replication all 127.0.0.1/32 trust\n")
  // Two copies of a database that never ran: the second replays the whole WAL of the first.
  yield* execute(path, "cp", ["-R", "first", "second"])
  const ports = yield* Effect.promise(async () => [await freePort(), await freePort()] as const)
  const start = (name: "first" | "second", settings: Readonly<Record<string, string>>) =>
    Effect.promise(() => launch(folder, name, ports[name === "first" ? 0 : 1], settings))
  writeFileSync(join(path, "second", "standby.signal"), "")
  const second = yield* Effect.acquireRelease(
    start("second", {
      primary_conninfo: `host=127.0.0.1 port=${ports[0]} user=${user} application_name=second`,
      wal_retrieve_retry_interval: "100ms",
    }),
    kill,
  )
  let first: ChildProcess = yield* start("first", { synchronous_standby_names: "second" })
  yield* Effect.addFinalizer(() => kill(first))
  const urlOf = (hosts: string) =>
    Redacted.make(`postgres://${user}@${hosts}/postgres?target_session_attrs=read-write`)
  const hosts = ports.map((port) => `127.0.0.1:${port}`)
  const becomes = (server: ChildProcess, host: number, statement: string) =>
    Effect.promise(() => until(server, urlOf(hosts[host]!), statement))
  yield* becomes(first, 0, "SELECT sync_state = 'sync' AS done FROM pg_stat_replication")
  return {
    url: urlOf(hosts.join(",")),
    first: urlOf(hosts[0]!),
    second: urlOf(hosts[1]!),
    killFirst: Effect.suspend(() => kill(first)),
    promoteSecond: becomes(second, 1, "SELECT pg_promote() AS done"),
    startFirstReadOnly: Effect.gen(function* () {
      writeFileSync(join(path, "first", "standby.signal"), "")
      first = yield* start("first", {})
      yield* becomes(first, 0, "SELECT pg_is_in_recovery() AS done")
    }),
  }
})

/** Runs a statement on its own connection. */
export const query = async (url: Redacted.Redacted, statement: string): Promise<Array<pg.QueryResultRow>> => {
  const client = new pg.Client({ connectionString: Redacted.value(url) })
  client.on("error", () => {})
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

// internal

const user = "errata"

const settingsOf = (port: number) => ({
  port: String(port),
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  wal_level: "replica",
  // Tests kill processes, not the operating system.
  fsync: "off",
  shared_buffers: "64MB",
  max_connections: "100",
  wal_keep_size: "512MB",
  jit: "off",
  timezone: "UTC",
})

const launch = async (
  { account, path, programs }: RunFolder.RunFolder,
  name: string,
  port: number,
  settings: Readonly<Record<string, string>>,
): Promise<ChildProcess> => {
  const data = join(path, name)
  const given = Object.entries({ ...settingsOf(port), ...settings }).flatMap(([key, value]) => [
    "-c",
    `${key}=${value}`,
  ])
  const [file, ...args] = [...account.prefix, programs.postgres, "-D", account.pathOf(data), ...given]
  const child = spawn(file!, args, {
    ...account.ids,
    cwd: data,
    env: environment,
    stdio: ["ignore", "ignore", "pipe"],
  })
  running.add(child)
  child.once("exit", () => running.delete(child))
  let log = ""
  child.stderr.on("data", (chunk) => {
    log = `${log}${chunk}`.slice(-4_000)
  })
  logs.set(child, () => log)
  return child
}

/** Killed when this process exits. */
const running = new Set<ChildProcess>()
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL")
})

const logs = new WeakMap<ChildProcess, () => string>()

const until = async (server: ChildProcess, url: Redacted.Redacted, statement: string): Promise<void> => {
  const end = performance.now() + 30_000
  for (;;) {
    const rows = await query(url, statement).catch(() => [])
    if (rows[0]?.done === true) return
    if (performance.now() > end || server.exitCode !== null) {
      throw new Error(
        `A server does not come to ${statement}: ${[...running].map((each) => logs.get(each)?.())}`,
      )
    }
    await pause(50)
  }
}

const kill = (server: ChildProcess): Effect.Effect<void> =>
  Effect.promise(async () => {
    if (server.exitCode !== null || server.signalCode !== null) return
    const children = childrenOf(server.pid!)
    const exited = once(server, "exit")
    for (const pid of [server.pid!, ...children]) {
      try {
        process.kill(pid, "SIGKILL")
      } catch {
        // It has exited with its parent.
      }
    }
    await exited
  })

const childrenOf = (pid: number): ReadonlyArray<number> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number)
