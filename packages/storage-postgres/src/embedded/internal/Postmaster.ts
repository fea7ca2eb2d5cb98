/** Starts, monitors and stops a PostgreSQL server. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdir, open, readFile, rm, stat, writeFile } from "node:fs/promises"
import { Socket } from "node:net"
import { join } from "node:path"
import { Clock, Deferred, Effect, Option } from "effect"
import { DataFolderInUse, DataFolderUnusable, StartFailed } from "../EmbeddedPostgresError.js"
import { attempt, environment, killGroup, run, send } from "./Commands.js"
import { diskFull, isDiskFull } from "./DataFolder.js"
import { serves, startOf } from "./ProcessTable.js"
import type { RunFolder } from "./RunFolder.js"
import { type Endpoint, settings } from "./Settings.js"
import { lockHeld, watchdog } from "./Watchdog.js"

export interface Postmaster {
  readonly pid: number
  /** Completes with the exit status when the server has exited for any reason. */
  readonly exited: Effect.Effect<number>
  /** Fast shutdown, with a timeout: open transactions are rolled back and committed ones are on disk. */
  readonly stop: Effect.Effect<void>
  /** Rotates the log once it is large. */
  readonly rotateLog: Effect.Effect<void>
}

export interface Place {
  readonly dataDir: string
  readonly cluster: string
  readonly runFolder: RunFolder
  readonly endpoint: Endpoint
  readonly durable: boolean
}

/**
 * Starts the server and waits until it accepts connections. An interrupted or failed start leaves no process running.
 *
 * Only the waits are interruptible, so that a started server always has an owner.
 */
export const start = (
  place: Place,
): Effect.Effect<Postmaster, DataFolderInUse | DataFolderUnusable | StartFailed> =>
  Effect.uninterruptible(
    Effect.gen(function* () {
      yield* Effect.interruptible(awaitPredecessor(place))
      const before = yield* pidFile(place.cluster)
      const logOffset = yield* logSize(place.cluster)
      const child = yield* launch(place)
      const ended = Effect.flatMap(child.exited, (code) => explain(place, code, logOffset))
      return yield* Effect.interruptible(Effect.raceFirst(awaitReady(place.cluster, before), ended)).pipe(
        Effect.map((pid): Postmaster => ({ ...child, pid })),
        Effect.onError(() => child.stop),
      )
    }),
  )

// internal

type Launched = Omit<Postmaster, "pid">

const largestLog = 8 * 1024 * 1024
const logFile = (cluster: string) => join(cluster, "log", "postgres.log")

const launch = Effect.fn("Postmaster.launch")(function* (place: Place) {
  const { account, programs, path } = place.runFolder
  const server = [
    programs.postgres,
    "-D",
    account.pathOf(place.cluster),
    ...settings(place.endpoint, place.durable),
  ]
  if (process.platform === "win32") return yield* launchOnWindows(place, server)
  const script = join(path, "watchdog.sh")
  yield* attempt(`${script} could not be written`, () => writeFile(script, watchdog))
  const [file, ...args] = [...account.prefix, "sh", script, path, ...server] as [string, ...Array<string>]
  const child = yield* spawned(() =>
    spawn(file, args, {
      ...account.ids,
      cwd: place.cluster,
      env: environment,
      // A session of its own, so that Ctrl-C in a terminal reaches only the owner.
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    }),
  )
  const tell = (command: string) => Effect.sync(() => child.stdin?.write(`${command}\n`))
  child.stdin?.on("error", () => {})
  return yield* supervised(place, child, {
    fast: tell("fast"),
    immediate: tell("immediate"),
    rotate: tell("rotate"),
    kill: Effect.sync(() => {
      // The watchdog and the server share a process group. The server's children exit with it.
      if (child.pid !== undefined) killGroup(child.pid)
    }),
  })
})

/** On Windows, child processes end with Node, so no watchdog is needed. */
const launchOnWindows = Effect.fn("Postmaster.launchOnWindows")(function* (
  place: Place,
  server: Array<string>,
) {
  const log = yield* attempt("the log could not be opened", async () => {
    await mkdir(join(place.cluster, "log"), { recursive: true })
    const file = logFile(place.cluster)
    const size = await stat(file).then(
      (found) => found.size,
      () => 0,
    )
    return open(file, size > largestLog ? "w" : "a")
  })
  const [file, ...args] = server as [string, ...Array<string>]
  const child = yield* spawned(() =>
    spawn(file, args, {
      cwd: place.cluster,
      env: environment,
      windowsHide: true,
      stdio: ["ignore", log.fd, log.fd],
    }),
  )
  yield* attempt("the log could not be closed", () => log.close())
  const { account, programs } = place.runFolder
  const signal = (name: string) =>
    run(account, place.cluster, programs.pgCtl, ["kill", name, String(child.pid)])
  return yield* supervised(place, child, {
    fast: signal("INT"),
    immediate: signal("QUIT"),
    rotate: Effect.void,
    kill: Effect.sync(() => child.kill("SIGKILL")),
  })
})

const spawned = <A>(start: () => A) =>
  Effect.try({
    try: start,
    catch: (cause) => new StartFailed({ detail: "the process could not be started", cause }),
  })

interface Controls {
  readonly fast: Effect.Effect<unknown>
  readonly immediate: Effect.Effect<unknown>
  readonly rotate: Effect.Effect<unknown>
  readonly kill: Effect.Effect<unknown>
}

const supervised = Effect.fnUntraced(function* (place: Place, child: ChildProcess, controls: Controls) {
  const exit = yield* Deferred.make<number>()
  const done = (code: number) => Deferred.doneUnsafe(exit, Effect.succeed(code))
  child.on("error", () => done(-1))
  child.on("exit", (code) => {
    // If only the watchdog was killed, closing this pipe makes its other half stop the server.
    child.stdin?.destroy()
    done(code ?? -1)
  })
  // Do not keep an idle application running. The watchdog stops the server when it exits.
  child.unref()
  unrefInput(child)
  const exited = Deferred.await(exit)
  const within = (seconds: number) =>
    // Finalizers are uninterruptible, but the timeout must interrupt this wait.
    Effect.map(Effect.timeoutOption(Effect.interruptible(exited), `${seconds} seconds`), Option.isSome)
  const stop = Effect.gen(function* () {
    if (yield* Deferred.isDone(exit)) return
    child.ref()
    yield* controls.fast
    if (yield* within(30)) return
    yield* Effect.logWarning(
      "The embedded database did not stop in time and is stopped without a last checkpoint",
    )
    yield* controls.immediate
    if (yield* within(10)) return
    yield* controls.kill
    yield* within(5)
  })
  const rotateLog = Effect.gen(function* () {
    if ((yield* logSize(place.cluster)) > largestLog) yield* controls.rotate
  })
  return { exited, stop, rotateLog } satisfies Launched
})

/** Pipes to child processes are sockets, although Node's types do not say so. */
const unrefInput = ({ stdin }: ChildProcess): void => {
  if (stdin instanceof Socket) stdin.unref()
}

/** Returns the server's process id once it is ready (lines 1 and 8 of postmaster.pid). */
const awaitReady = Effect.fnUntraced(function* (cluster: string, before: string) {
  const started = yield* Clock.currentTimeMillis
  let reminded = started
  while (true) {
    const content = yield* pidFile(cluster)
    if (content !== before && /^ready\s*$/m.test(content)) return serverIn(content)
    yield* Effect.sleep("20 millis")
    const now = yield* Clock.currentTimeMillis
    if (now - reminded > 10_000) {
      reminded = now
      yield* Effect.logInfo("Still waiting for the embedded database (it may be recovering from a crash)")
    }
    if (now - started > 600_000)
      return yield* new StartFailed({ detail: "it was not ready within ten minutes" })
  }
})

/**
 * Waits for the server of a killed owner to stop, and signals it if necessary.
 *
 * This process holds the lock, so a server that still uses the folder has no owner.
 */
const awaitPredecessor = Effect.fnUntraced(function* (place: Place) {
  const started = yield* Clock.currentTimeMillis
  let sent = ""
  while (true) {
    const content = yield* pidFile(place.cluster)
    const pid = serverIn(content)
    if (pid === 0) return
    const serving = yield* serves(pid, place.cluster, Number(content.split("\n")[2]))
    if (serving === "no") {
      // PostgreSQL treats any live process of its user with this id as a server and would not start.
      if (Option.isSome(yield* startOf(pid))) yield* removePidFile(place.cluster)
      return
    }
    const waited = (yield* Clock.currentTimeMillis) - started
    if (waited > 45_000) return yield* new DataFolderInUse({ dataDir: place.dataDir, pid })
    const signal = waited > 15_000 ? "SIGQUIT" : "SIGINT"
    if (sent === "")
      yield* Effect.annotateLogs(Effect.logInfo("Waiting for the previous PostgreSQL server to stop"), {
        pid,
      })
    if (sent !== signal && serving === "certain") send(pid, signal)
    sent = signal
    yield* Effect.sleep("50 millis")
  }
})

const explain = Effect.fnUntraced(function* (place: Place, code: number, logOffset: number) {
  if (code === lockHeld) {
    return yield* new DataFolderInUse({
      dataDir: place.dataDir,
      pid: serverIn(yield* pidFile(place.cluster)),
    })
  }
  const log = yield* Effect.promise(() => readFile(logFile(place.cluster)).catch(() => Buffer.alloc(0)))
  const said = log
    .subarray(Math.max(logOffset, log.length - 4000))
    .toString("utf8")
    .trim()
  if (isDiskFull(said)) {
    return yield* new DataFolderUnusable({ dataDir: place.dataDir, detail: diskFull })
  }
  return yield* new StartFailed({ detail: `PostgreSQL ended with status ${code}`, log: said })
})

const pidFile = (cluster: string) =>
  Effect.promise(() => readFile(join(cluster, "postmaster.pid"), "utf8").catch(() => ""))

const removePidFile = (cluster: string) =>
  attempt("the stale postmaster.pid could not be deleted", () =>
    rm(join(cluster, "postmaster.pid"), { force: true }),
  )

/** The process id in the file; 0 if none. */
const serverIn = (content: string) => Math.max(Number.parseInt(content, 10) || 0, 0)

const logSize = (cluster: string) =>
  Effect.promise(() =>
    stat(logFile(cluster)).then(
      ({ size }) => size,
      () => 0,
    ),
  )
