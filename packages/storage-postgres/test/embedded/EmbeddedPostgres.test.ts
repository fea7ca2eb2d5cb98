import { spawn } from "node:child_process"
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Redacted, Schedule } from "effect"
import { EmbeddedPostgres } from "../../src/embedded/index.js"
import { startOf } from "../../src/embedded/internal/ProcessTable.js"
import * as Checkout from "./support/Checkout.js"
import { connect, insertUntilBroken, numbers } from "./support/client.js"

const socketFolder = (url: Redacted.Redacted) => new URL(Redacted.value(url)).searchParams.get("host") ?? ""

const isRoot = process.getuid?.() === 0

describe("EmbeddedPostgres", () => {
  it.live("keeps its data across starts", () =>
    Effect.gen(function* () {
      const dataDir = join(yield* Checkout.folder(), "made", "on the way")
      const used = yield* Effect.scoped(
        Effect.gen(function* () {
          const { url } = yield* EmbeddedPostgres.make({ dataDir })
          yield* (yield* connect(url))`create table kept (n int)`
          return url
        }),
      )
      expect(Checkout.processesOf(dataDir)).toEqual([])
      expect(existsSync(socketFolder(used))).toBe(false)
      expect(existsSync(join(dataDir, "lock"))).toBe(false)
      const { url } = yield* EmbeddedPostgres.make({ dataDir })
      expect(yield* (yield* connect(url))`select n from kept`).toEqual([])
      expect(statSync(dataDir).mode & 0o777).toBe(0o700)
    }),
  )

  it.live("is durable, private and small", () =>
    Effect.gen(function* () {
      const { url } = yield* EmbeddedPostgres.make({ dataDir: yield* Checkout.folder() })
      const sql = yield* connect(url)
      const names = [
        "fsync",
        "synchronous_commit",
        "full_page_writes",
        "listen_addresses",
        "autovacuum",
        "jit",
      ]
      const settings = yield* sql<{
        name: string
        setting: string
      }>`select name, setting from pg_settings where name in ${sql.in(names)}`
      expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toEqual({
        fsync: "on",
        synchronous_commit: "on",
        full_page_writes: "on",
        listen_addresses: "",
        autovacuum: "on",
        jit: "off",
      })
      expect(yield* sql`select rolsuper, rolcreatedb from pg_roles where rolname = current_user`).toEqual([
        { rolsuper: false, rolcreatedb: false },
      ])
      const program = yield* Effect.flip(sql`copy (select 1) to program 'true'`)
      expect(String((program.reason.cause as Error).message)).toContain("permission denied")
      expect(statSync(socketFolder(url)).mode & 0o777).toBe(0o700)
    }),
  )

  it.live("names the holder of a folder that is in use, this process included", () =>
    Effect.gen(function* () {
      const dataDir = yield* Checkout.folder()
      const { url } = yield* EmbeddedPostgres.make({ dataDir })
      const error = yield* Effect.flip(EmbeddedPostgres.make({ dataDir }))
      expect(error).toMatchObject({ _tag: "DataFolderInUse", dataDir, pid: process.pid })
      expect(error.message).toContain("in use by this process already. Close that instance first")
      expect(yield* (yield* connect(url))`select 1 as one`).toEqual([{ one: 1 }])
    }),
  )

  it.live("takes over a folder after its holder ended, even if another process has its id", () =>
    Effect.gen(function* () {
      const dataDir = yield* Checkout.folder()
      const lock = join(dataDir, "lock")
      const start = yield* startOf(process.pid)
      expect(start._tag).toBe("Some")
      const left = [
        "",
        "no such thing",
        JSON.stringify({ pid: 4_194_305, start: "dead", id: "a" }),
        // This process's id, used earlier by another process.
        JSON.stringify({ pid: process.pid, start: "another start", id: "b" }),
      ]
      for (const content of left) {
        writeFileSync(lock, content)
        yield* Effect.scoped(EmbeddedPostgres.make({ dataDir, durable: false }))
        expect(existsSync(lock)).toBe(false)
      }
    }),
  )

  it.live("starts despite a stale process file whose id belongs to another program", () =>
    Effect.gen(function* () {
      const dataDir = yield* Checkout.folder()
      yield* Effect.scoped(EmbeddedPostgres.make({ dataDir, durable: false }))
      const cluster = join(dataDir, "cluster")
      const { uid, gid } = statSync(cluster)
      const other = yield* Effect.acquireRelease(
        Effect.sync(() => spawn("sleep", ["600"], isRoot ? { uid, gid } : {})),
        (child) => Effect.sync(() => child.kill("SIGKILL")),
      )
      const file = join(cluster, "postmaster.pid")
      writeFileSync(
        file,
        `${other.pid}\n/proc/self/cwd\n1700000000\n5432\n/nowhere\n\n  5432001   0\nready   \n`,
      )
      chownSync(file, uid, gid)
      const { url } = yield* EmbeddedPostgres.make({ dataDir, durable: false })
      expect(yield* (yield* connect(url))`select 1 as one`).toEqual([{ one: 1 }])
      expect(other.exitCode).toBeNull()
    }),
  )

  it.live("creates a database again after an interrupted creation", () =>
    Effect.gen(function* () {
      const dataDir = yield* Checkout.folder()
      mkdirSync(join(dataDir, "init-abcdef", "base"), { recursive: true })
      writeFileSync(join(dataDir, "init-abcdef", "PG_VERSION"), "18\n")
      const { url } = yield* EmbeddedPostgres.make({ dataDir, durable: false })
      expect(yield* (yield* connect(url))`select 1 as one`).toEqual([{ one: 1 }])
      expect(readdirSync(dataDir).sort()).toEqual(["cluster", "endpoint", "lock", "run"])
    }),
  )

  it.live("rejects a database of another version, and releases the folder", () =>
    Effect.gen(function* () {
      const dataDir = yield* Checkout.folder()
      mkdirSync(join(dataDir, "cluster"))
      writeFileSync(join(dataDir, "cluster", "PG_VERSION"), "17\n")
      const error = yield* Effect.flip(EmbeddedPostgres.make({ dataDir }))
      expect(error._tag).toBe("StartFailed")
      expect(error.message).toContain("PostgreSQL 17")
      expect(readdirSync(dataDir)).not.toContain("lock")
      expect(existsSync(readFileSync(join(dataDir, "run"), "utf8"))).toBe(false)
    }),
  )

  it.live("shows PostgreSQL's message if it does not start", () =>
    Effect.gen(function* () {
      const dataDir = yield* Checkout.folder()
      yield* Effect.scoped(EmbeddedPostgres.make({ dataDir, durable: false }))
      writeFileSync(join(dataDir, "cluster", "postgresql.conf"), "no_such_setting = 1\n")
      const error = yield* Effect.flip(EmbeddedPostgres.make({ dataDir, durable: false }))
      expect(error._tag).toBe("StartFailed")
      expect(error.message).toContain("no_such_setting")
      expect(Checkout.processesOf(dataDir)).toEqual([])
    }),
  )

  it.live(
    "starts a server again that was killed: under the same address, with every acknowledged commit",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* Checkout.folder()
        const { url, pid } = yield* EmbeddedPostgres.make({ dataDir })
        let acknowledged = 0
        const first = yield* pid
        for (const _ of ["killed once", "and again"]) {
          acknowledged = 0
          yield* Effect.scoped(Effect.flatMap(connect(url), (sql) => sql`drop table if exists acknowledged`))
          const writer = yield* Effect.forkChild(
            insertUntilBroken(url, (n) => {
              acknowledged = n
            }),
          )
          yield* Checkout.eventually("100 commits", () => acknowledged >= 100)
          process.kill(yield* pid, "SIGKILL")
          yield* Fiber.join(writer)
          const found = yield* numbers(url).pipe(
            // Far more than a slow machine needs for the recovery.
            Effect.retry(Schedule.upTo(Schedule.spaced("50 millis"), { duration: "2 minutes" })),
          )
          expect(found.length).toBeGreaterThanOrEqual(acknowledged)
        }
        expect(yield* pid).not.toBe(first)
      }),
  )

  it.live("leaves nothing behind if its start is interrupted", () =>
    Effect.gen(function* () {
      const dataDir = yield* Checkout.folder()
      for (const millis of [5, 50, 150, 300, 600]) {
        const starting = yield* Effect.forkChild(
          Effect.scoped(EmbeddedPostgres.make({ dataDir, durable: false })),
        )
        yield* Effect.sleep(millis)
        yield* Fiber.interrupt(starting)
        expect(Checkout.processesOf(dataDir)).toEqual([])
        expect(readdirSync(dataDir)).not.toContain("lock")
      }
      const opened = yield* Effect.exit(EmbeddedPostgres.make({ dataDir, durable: false }))
      expect(Exit.isSuccess(opened)).toBe(true)
    }),
  )
})
