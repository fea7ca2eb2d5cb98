import { type ChildProcess, spawn } from "node:child_process"
import { appendFileSync, existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { locate } from "../../src/embedded/internal/Binaries.js"
import * as Cluster from "../../src/embedded/internal/Cluster.js"
import * as Postmaster from "../../src/embedded/internal/Postmaster.js"
import { startedThen } from "../../src/embedded/internal/ProcessTable.js"
import * as RunFolder from "../../src/embedded/internal/RunFolder.js"
import * as Checkout from "./support/Checkout.js"
import { connect } from "./support/client.js"

const place = Effect.gen(function* () {
  const dataDir = yield* Checkout.folder()
  const runFolder = yield* RunFolder.make(dataDir, yield* locate)
  const cluster = yield* Cluster.ensure(dataDir, runFolder, false)
  const endpoint = { socketDir: runFolder.path, port: 5432 }
  return { dataDir, cluster, runFolder, endpoint, durable: false } satisfies Postmaster.Place
})

const running = (at: Postmaster.Place) => Effect.acquireRelease(Postmaster.start(at), ({ stop }) => stop)

const killed = (start: () => ChildProcess) =>
  Effect.acquireRelease(Effect.sync(start), (child) => Effect.sync(() => child.kill("SIGKILL")))

describe("Postmaster", () => {
  it.live("rotates only a large log while the server runs", () =>
    Effect.gen(function* () {
      const at = yield* place
      const server = yield* running(at)
      const log = join(at.cluster, "log", "postgres.log")
      yield* server.rotateLog
      expect(statSync(log).size).toBeGreaterThan(0)
      appendFileSync(log, "x".repeat(9 * 1024 * 1024))
      yield* server.rotateLog
      yield* Checkout.eventually("an empty log", () => statSync(log).size < 1000)
      expect(statSync(`${log}.1`).size).toBeGreaterThan(9 * 1024 * 1024)
      yield* server.stop
      expect(readFileSync(log, "utf8")).toContain("database system is shut down")
    }),
  )

  it.live("waits for the process that holds the folder, whatever its id", () =>
    Effect.gen(function* () {
      const at = yield* place
      // Holds the folder like a server in another container.
      const holder = yield* killed(() => spawn("sh", ["-c", `exec flock "$1" cat`, "sh", at.cluster]))
      yield* Checkout.eventually("a held folder", () => heldBy(at.cluster, holder))
      const starting = yield* Effect.forkChild(running(at))
      yield* Effect.sleep("2 seconds")
      expect(starting.pollUnsafe()).toBeUndefined()
      holder.stdin?.end()
      yield* Fiber.join(starting)
    }),
  )

  it.live("stops in time with a client that does not disconnect", () =>
    Effect.gen(function* () {
      const at = yield* place
      const server = yield* running(at)
      const sql = yield* connect(`postgresql://errata@localhost/errata?host=${at.runFolder.path}`)
      yield* Effect.forkChild(sql`select pg_sleep(60)`)
      yield* Effect.sleep("200 millis")
      yield* server.stop
      expect(existsSync(`/proc/${server.pid}`)).toBe(false)
      expect(yield* server.exited).toBe(0)
    }),
  )

  it.effect("kills a server that does not stop, also in an uninterruptible region", () =>
    Effect.gen(function* () {
      const server = yield* TestClock.withLive(Effect.flatMap(place, running))
      process.kill(server.pid, "SIGSTOP")
      const stopping = yield* Effect.forkChild(Effect.uninterruptible(server.stop))
      yield* TestClock.adjust("30 seconds")
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(stopping)
      yield* TestClock.withLive(Checkout.eventually("its end", () => !existsSync(`/proc/${server.pid}`)))
    }),
  )

  it.live("distinguishes a process from a later one with its id by start time", () =>
    Effect.gen(function* () {
      const now = (yield* Clock.currentTimeMillis) / 1000
      const child = yield* killed(() => spawn("sleep", ["30"]))
      expect(yield* startedThen(child.pid ?? 0, now)).toBe(true)
      expect(yield* startedThen(child.pid ?? 0, now - 3600)).toBe(false)
      child.kill("SIGKILL")
      yield* Checkout.eventually("its end", () => child.signalCode !== null)
      expect(yield* startedThen(child.pid ?? 0, now)).toBe(false)
    }),
  )
})

const heldBy = (folder: string, holder: ChildProcess) => {
  const inode = String(statSync(folder).ino)
  const held = readFileSync("/proc/locks", "utf8").split("\n")
  return held.some(
    (line) => line.includes("FLOCK") && line.includes(` ${holder.pid} `) && line.includes(`:${inode} `),
  )
}
