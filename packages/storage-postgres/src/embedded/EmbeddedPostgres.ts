/**
 * A PostgreSQL server that comes with the application: created on first use, started and stopped with a scope.
 *
 * It runs as a child process, listens only on a private socket, and never outlives its owner.
 */

import { existsSync } from "node:fs"
import { readFile, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { basename, join, resolve } from "node:path"
import { Clock, Effect, Exit, Option, Redacted, Ref, Schedule, Scope } from "effect"
import {
  DataFolderInUse,
  DataFolderOfAnother,
  type EmbeddedPostgresError,
  NothingRuns,
  StartFailed,
} from "./EmbeddedPostgresError.js"
import { locate } from "./internal/Binaries.js"
import * as Cluster from "./internal/Cluster.js"
import { attempt } from "./internal/Commands.js"
import * as DataFolder from "./internal/DataFolder.js"
import * as EndpointFile from "./internal/EndpointFile.js"
import * as FolderLock from "./internal/FolderLock.js"
import * as Postmaster from "./internal/Postmaster.js"
import * as RunFolder from "./internal/RunFolder.js"
import type { Endpoint } from "./internal/Settings.js"

export interface Options {
  /** A folder for this database only. Created with mode 0700 if missing. */
  readonly dataDir: string
  /** False only for throw-away databases: nothing is synced to disk, and a crash may lose everything. Default: true. */
  readonly durable?: boolean
}

export interface EmbeddedPostgres {
  /** URL of the application's database. Its role owns it and is not a superuser. Valid while the scope is open. */
  readonly url: Redacted.Redacted
  /** URL of the server for its superuser, for administration. */
  readonly superuserUrl: Redacted.Redacted
  /** Process id of the server. It changes when the server is restarted. */
  readonly pid: Effect.Effect<number>
}

/**
 * Starts the server on a data folder and keeps it running until the scope closes.
 *
 * If the server dies, it is restarted under the same URL. Clients must reconnect.
 */
export const make = (options: Options): Effect.Effect<EmbeddedPostgres, EmbeddedPostgresError, Scope.Scope> =>
  Effect.gen(function* () {
    // A child scope, so that a failed start releases the folder at once.
    const scope = yield* Scope.fork(yield* Effect.scope)
    return yield* assemble(resolve(options.dataDir), options.durable ?? true).pipe(
      Scope.provide(scope),
      Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))),
    )
  }).pipe(Effect.withSpan("EmbeddedPostgres.make"))

/**
 * Returns the URL of a database that another process of the same user runs. Its clients must expect it to stop at any
 * time. Waits for a server that is starting.
 */
export const attach = (
  dataDir: string,
): Effect.Effect<Redacted.Redacted, NothingRuns | DataFolderInUse | DataFolderOfAnother | StartFailed> =>
  Effect.gen(function* () {
    const folder = resolve(dataDir)
    const since = yield* Clock.currentTimeMillis
    while (true) {
      const holding = Option.getOrNull(yield* FolderLock.holding(folder))
      if (holding === null) return yield* new NothingRuns({ dataDir: folder })
      const { pid } = holding
      if (!holding.isOwn) return yield* new DataFolderOfAnother({ dataDir: folder, pid })
      const endpoint = Option.getOrNull(yield* EndpointFile.find(folder, holding))
      if (endpoint !== null) {
        const secret = yield* secretOf(folder)
        return Redacted.make(connectionUrl(endpoint, Cluster.application, Cluster.application, secret))
      }
      if ((yield* Clock.currentTimeMillis) - since > longestStart) {
        return yield* new DataFolderInUse({ dataDir: folder, pid })
      }
      yield* Effect.sleep("50 millis")
    }
  }).pipe(Effect.withSpan("EmbeddedPostgres.attach"))

/** Returns whether a data folder contains a database. Creates and starts nothing. */
export const exists = (dataDir: string): Effect.Effect<boolean> =>
  Effect.sync(() => existsSync(Cluster.pathIn(resolve(dataDir))))

// internal

const longestStart = 30_000

/** The password that replaces the private socket on Windows. */
const secretOf = (dataDir: string): Effect.Effect<string | undefined, StartFailed> =>
  process.platform === "win32" ? Cluster.password(dataDir) : Effect.succeed(undefined)

const assemble = Effect.fnUntraced(function* (dataDir: string, durable: boolean) {
  const began = yield* Clock.currentTimeMillis
  yield* DataFolder.ensure(dataDir)
  const holding = yield* FolderLock.acquire(dataDir)
  const root = yield* locate
  const runFolder = yield* RunFolder.make(dataDir, root)
  yield* replaceRunFolder(dataDir, runFolder.path)
  const cluster = yield* Cluster.ensure(dataDir, runFolder, durable)
  const endpoint = yield* endpointIn(runFolder.path)
  const place: Postmaster.Place = { dataDir, cluster, runFolder, endpoint, durable }

  const running = yield* Effect.acquireRelease(Effect.flatMap(Postmaster.start(place), Ref.make), (current) =>
    Effect.flatMap(Ref.get(current), ({ stop }) => stop),
  )
  yield* Effect.forkScoped(Effect.interruptible(keepRunning(place, running)))
  yield* Ref.get(running).pipe(
    Effect.flatMap(({ rotateLog }) => rotateLog),
    Effect.repeat(Schedule.spaced("1 minute")),
    Effect.interruptible,
    Effect.forkScoped,
  )
  const ready = yield* Clock.currentTimeMillis
  yield* Effect.annotateLogs(Effect.logInfo("The embedded database is ready"), { millis: ready - began })
  const secret = yield* secretOf(dataDir)
  const url = (user: string, database: string) =>
    Redacted.make(connectionUrl(endpoint, user, database, secret))
  // Published last and removed first, so that clients only find a running server.
  yield* EndpointFile.publish(dataDir, holding, endpoint)
  return {
    url: url(Cluster.application, Cluster.application),
    superuserUrl: url(Cluster.superuser, "postgres"),
    pid: Effect.map(Ref.get(running), ({ pid }) => pid),
  } satisfies EmbeddedPostgres
})

/** Restarts the server whenever it exits, with a growing delay after repeated failures. */
const keepRunning = Effect.fnUntraced(function* (
  place: Postmaster.Place,
  running: Ref.Ref<Postmaster.Postmaster>,
) {
  let failures = 0
  while (true) {
    const since = yield* Clock.currentTimeMillis
    const status = yield* Effect.flatMap(Ref.get(running), ({ exited }) => exited)
    if ((yield* Clock.currentTimeMillis) - since > 60_000) failures = 0
    yield* Effect.annotateLogs(Effect.logError("The embedded database exited and is being restarted"), {
      status,
    })
    let lastMessage = ""
    while (true) {
      yield* Effect.sleep(Math.min(100 * 2 ** failures++, 15_000))
      const started = yield* Postmaster.start(place).pipe(
        Effect.flatMap((next) => Ref.set(running, next)),
        Effect.uninterruptible,
        Effect.as(true),
        Effect.catch(({ message }) =>
          // The cause of a failed start, such as a full disk, often persists: log it once.
          Effect.andThen(
            message === lastMessage ? Effect.logDebug(message) : Effect.logError(message),
            Effect.sync(() => {
              lastMessage = message
              return false
            }),
          ),
        ),
      )
      if (started) break
    }
    yield* Effect.logInfo("The embedded database is running again")
  }
})

/** Removes the run folder that a power failure left behind. */
const replaceRunFolder = Effect.fnUntraced(function* (dataDir: string, path: string) {
  const note = join(dataDir, "run")
  const last = yield* Effect.promise(() => readFile(note, "utf8").catch(() => ""))
  if (basename(last).startsWith(RunFolder.prefix)) yield* RunFolder.remove(last)
  // Replace the file instead of overwriting it: the last run may have been by another user.
  yield* attempt(`${note} could not be written`, async () => {
    await rm(note, { force: true })
    await writeFile(note, path, { flag: "wx" })
  })
})

const endpointIn = (socketDir: string): Effect.Effect<Endpoint, StartFailed> =>
  process.platform === "win32"
    ? Effect.map(freePort, (port) => ({ socketDir: undefined, port }))
    : Effect.succeed({ socketDir, port: 5432 })

const freePort = Effect.callback<number, StartFailed>((resume) => {
  const server = createServer()
  server.on("error", (cause) => resume(new StartFailed({ detail: "no port is free", cause })))
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    server.close(() => resume(Effect.succeed(port)))
  })
})

const connectionUrl = (endpoint: Endpoint, user: string, database: string, secret: string | undefined) => {
  if (endpoint.socketDir === undefined)
    return `postgresql://${user}:${secret}@127.0.0.1:${endpoint.port}/${database}`
  // In libpq and node-postgres, the `host` parameter overrides the host of the URL.
  return `postgresql://${user}@localhost:${endpoint.port}/${database}?host=${encodeURIComponent(endpoint.socketDir)}`
}
