/** Kills real processes to test the ownership of the database and what its owner leaves behind. */
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import * as Checkout from "./support/Checkout.js"
import { connect, insertUntilBroken, numbers } from "./support/client.js"

class Program extends Context.Service<Program, Checkout.Checkout>()("Program") {
  static readonly layer = Layer.effect(Program, Checkout.make)
}

const socketFolder = (url: string) => new URL(url).searchParams.get("host") ?? ""

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1)

layer(Program.layer, { excludeTestServices: true })("the owner of an embedded database", (it) => {
  it.effect("killed with -9: the server stops by itself and leaves nothing behind", () =>
    Effect.gen(function* () {
      const dataDir = yield* Checkout.folder()
      const owner = yield* Checkout.start(yield* Program, dataDir)
      const { url } = yield* owner.ready
      expect(Checkout.processesOf(dataDir).length).toBeGreaterThan(4)
      owner.child.kill("SIGKILL")
      yield* Checkout.noneServes(dataDir)
      yield* Checkout.eventually("no folder of the run", () => !existsSync(socketFolder(url)))
      expect(readFileSync(join(dataDir, "cluster/log/postgres.log"), "utf8")).toContain(
        "database system is shut down",
      )
    }),
  )

  it.effect("killed with -9 while it writes, started again immediately: nothing acknowledged is lost", () =>
    Effect.gen(function* () {
      const dataDir = yield* Checkout.folder()
      const program = yield* Program
      const owner = yield* Checkout.start(program, dataDir)
      const { url } = yield* owner.ready
      let acknowledged = 0
      const writer = yield* Effect.forkChild(insertUntilBroken(url, (n) => (acknowledged = n)))
      yield* Checkout.eventually("200 commits", () => acknowledged >= 200)
      owner.child.kill("SIGKILL")
      const next = yield* (yield* Checkout.start(program, dataDir)).ready
      yield* Fiber.join(writer)
      const found = yield* numbers(next.url)
      expect(found.length).toBeGreaterThanOrEqual(acknowledged)
      expect(found).toEqual(upTo(found.length))
    }),
  )

  it.effect("killed with -9 together with watchdog and server: nothing acknowledged is lost", () =>
    Effect.gen(function* () {
      const dataDir = yield* Checkout.folder()
      const program = yield* Program
      const owner = yield* Checkout.start(program, dataDir)
      const { url } = yield* owner.ready
      let acknowledged = 0
      const writer = yield* Effect.forkChild(insertUntilBroken(url, (n) => (acknowledged = n)))
      yield* Checkout.eventually("200 commits", () => acknowledged >= 200)
      owner.child.kill("SIGKILL")
      for (const pid of Checkout.processesOf(dataDir)) {
        try {
          process.kill(pid, "SIGKILL")
        } catch {
          // The server's children exit with it.
        }
      }
      const next = yield* (yield* Checkout.start(program, dataDir)).ready
      yield* Fiber.join(writer)
      const found = yield* numbers(next.url)
      expect(found.length).toBeGreaterThanOrEqual(acknowledged)
      expect(found).toEqual(upTo(found.length))
    }),
  )

  it.effect("killed with -9 together with only the watchdog: the next owner ends the orphaned server", () =>
    Effect.gen(function* () {
      const dataDir = yield* Checkout.folder()
      const program = yield* Program
      const owner = yield* Checkout.start(program, dataDir)
      const { pid } = yield* owner.ready
      const watchdogs = Checkout.processesOf(dataDir).filter((id) =>
        Checkout.commandOf(id).startsWith("sh\0"),
      )
      expect(watchdogs).toHaveLength(2)
      // Stop all of them before killing: each would react to the exit of another.
      const together = [owner.child.pid!, ...watchdogs]
      for (const id of together) process.kill(id, "SIGSTOP")
      for (const id of together) process.kill(id, "SIGKILL")
      yield* owner.exited
      expect(Checkout.processesOf(dataDir)).toContain(pid)
      const next = yield* (yield* Checkout.start(program, dataDir)).ready
      expect(next.pid).not.toBe(pid)
      expect(Checkout.processesOf(dataDir)).not.toContain(pid)
    }),
  )

  it.effect("a second one gets an error that names the first", () =>
    Effect.gen(function* () {
      const dataDir = yield* Checkout.folder()
      const program = yield* Program
      const owner = yield* Checkout.start(program, dataDir)
      yield* owner.ready
      const second = yield* (yield* Checkout.start(program, dataDir)).answer
      expect(second).toMatchObject({ error: "DataFolderInUse", pid: owner.child.pid })
      expect(second).toMatchObject({ message: expect.stringContaining(`process ${owner.child.pid}`) })
    }),
  )

  it.effect("stopped by Ctrl-C: the server serves until its owner has finished", () =>
    Effect.gen(function* () {
      const dataDir = yield* Checkout.folder()
      const owner = yield* Checkout.start(yield* Program, dataDir, { lingerMs: 5_000 })
      const { url, pid } = yield* owner.ready
      const sql = yield* connect(url)
      yield* sql`create table finishing (n int)`
      // A terminal signals every process of the group.
      process.kill(-owner.child.pid!, "SIGINT")
      yield* Effect.sleep("300 millis")
      yield* sql`insert into finishing values (1)`
      yield* owner.exited
      expect(Checkout.processesOf(dataDir)).toEqual([])
      expect(existsSync(`/proc/${pid}`)).toBe(false)
      expect(existsSync(socketFolder(url))).toBe(false)
      expect(existsSync(join(dataDir, "lock"))).toBe(false)
    }),
  )

  it.effect("killed with -9 while the database is created: it is created again", () =>
    Effect.gen(function* () {
      const program = yield* Program
      const unfinished = (dataDir: string) =>
        readdirSync(dataDir).find((name) => name.startsWith("init-")) ?? "init-none"
      const isWhole = (dataDir: string) => existsSync(join(dataDir, "cluster"))
      const killedAmid = Effect.gen(function* () {
        const dataDir = yield* Checkout.folder()
        const { child, exited } = yield* Checkout.start(program, dataDir)
        yield* Checkout.eventually(
          "half a database",
          () => existsSync(join(dataDir, unfinished(dataDir), "global")) || isWhole(dataDir),
        )
        // A stopped process cannot complete the database before it is killed.
        child.kill("SIGSTOP")
        const isLate = isWhole(dataDir)
        child.kill("SIGKILL")
        yield* exited
        return yield* isLate
          ? Effect.fail("It was made before it was seen to be made")
          : Effect.succeed(dataDir)
      })
      const dataDir = yield* Effect.retry(killedAmid, { times: 9 })
      expect(readdirSync(dataDir)).not.toContain("cluster")
      const next = yield* (yield* Checkout.start(program, dataDir)).ready
      const sql = yield* connect(next.url)
      yield* sql`create table whole (n int)`
      expect(unfinished(dataDir)).toBe("init-none")
    }),
  )
})

const isRoot = process.getuid?.() === 0
const owners = ["CapInh", "CapPrm", "CapEff", "CapAmb"]
const status = (pid: number) =>
  Object.fromEntries(
    readFileSync(`/proc/${pid}/status`, "utf8")
      .split("\n")
      .map((line) => line.split(/:\s*/, 2) as [string, string]),
  )

// Processes of other users require root.
describe.runIf(isRoot)("accounts", () => {
  layer(Program.layer, { excludeTestServices: true })((it) => {
    it.effect("root, in a folder of its own: an unprivileged server without capabilities", () =>
      Effect.gen(function* () {
        const program = yield* Program
        expect(statSync(program.path).mode & 0o777).toBe(0o700)
        const dataDir = join(program.path, "data")
        for (const _ of ["first", "later"]) {
          const owner = yield* Checkout.start(program, dataDir)
          const { url, pid } = yield* owner.ready
          const sql = yield* connect(url)
          yield* sql`create table if not exists kept (n int)`
          yield* sql`insert into kept values (1)`
          const found = status(pid)
          expect(found.Uid?.split("\t")[0]).not.toBe("0")
          for (const set of owners) expect(found[set]).toBe("0000000000000000")
          owner.child.kill("SIGINT")
          yield* owner.exited
        }
        const { url } = yield* (yield* Checkout.start(program, dataDir)).ready
        expect(yield* (yield* connect(url))`select n from kept`).toHaveLength(2)
      }),
    )

    it.effect("root: no other user can open the socket", () =>
      Effect.gen(function* () {
        const dataDir = yield* Checkout.folder()
        const { url } = yield* (yield* Checkout.start(yield* Program, dataDir)).ready
        const { mode, uid } = statSync(socketFolder(url))
        expect(mode & 0o777).toBe(0o700)
        expect(uid).not.toBe(0)
        const script = `require("node:net").connect(${JSON.stringify(join(socketFolder(url), ".s.PGSQL.5432"))})
          .on("error", (error) => console.log(error.code)).on("connect", () => { console.log("open"); process.exit() })`
        const stranger = spawnSync(process.execPath, ["-e", script], {
          uid: 54_321,
          gid: 54_321,
          encoding: "utf8",
        })
        expect(stranger.stdout.trim()).toBe("EACCES")
      }),
    )

    it.effect("root with no more capabilities than a container has", () =>
      Effect.gen(function* () {
        const program = yield* Program
        const kept = [
          "chown",
          "dac_override",
          "fowner",
          "fsetid",
          "kill",
          "setgid",
          "setuid",
          "setpcap",
          "sys_chroot",
        ]
        const bounding = `-all,${kept.map((name) => `+${name}`).join(",")}`
        const owner = yield* Checkout.start(program, join(program.path, "contained"), {
          under: ["setpriv", `--bounding-set=${bounding}`],
        })
        const { url, pid } = yield* owner.ready
        expect(status(pid).Uid?.split("\t")[0]).not.toBe("0")
        expect(yield* (yield* connect(url))`select 1 as one`).toEqual([{ one: 1 }])
      }),
    )

    it.effect("root without access to other accounts, then full root again: the same data", () =>
      Effect.gen(function* () {
        const program = yield* Program
        const dataDir = join(program.path, "mapped")
        const single = yield* Checkout.start(program, dataDir, {
          under: ["unshare", "--user", "--map-root-user"],
        })
        const { url } = yield* single.ready
        const sql = yield* connect(url)
        yield* sql`create table kept (n int)`
        single.child.kill("SIGINT")
        yield* single.exited
        expect(statSync(join(dataDir, "cluster")).uid).toBe(0)
        const full = yield* (yield* Checkout.start(program, dataDir)).ready
        expect(yield* (yield* connect(full.url))`select n from kept`).toEqual([])
        expect(statSync(join(dataDir, "cluster")).uid).not.toBe(0)
      }),
    )

    it.effect("root without any account: an error with advice", () =>
      Effect.gen(function* () {
        const program = yield* Program
        const owner = yield* Checkout.start(program, join(program.path, "none"), {
          under: ["/usr/bin/setpriv", "--bounding-set=-setuid,-setgid"],
          // Without `unshare`.
          env: { PATH: program.path },
        })
        expect(yield* owner.answer).toMatchObject({
          error: "NoAccount",
          message: expect.stringContaining("Run as an ordinary user"),
        })
      }),
    )

    it.effect(
      "an ordinary user, with a package without its symbolic links and no permission to create them",
      () =>
        Effect.gen(function* () {
          const program = yield* Checkout.make
          yield* Checkout.open(program)
          const lib = join(program.packagePath, "native/lib")
          const links = readdirSync(lib, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink())
          expect(links.length).toBeGreaterThan(5)
          for (const { name } of links) rmSync(join(lib, name))
          const dataDir = yield* Checkout.folder(65_534)
          const { url } = yield* (yield* Checkout.start(program, dataDir, { uid: 65_534 })).ready
          expect(yield* (yield* connect(url))`select 1 as one`).toEqual([{ one: 1 }])
          expect(existsSync(join(socketFolder(url), "postgres/bin/postgres"))).toBe(true)
          // With write access, the package itself is repaired.
          const elsewhere = yield* Checkout.folder()
          yield* (yield* Checkout.start(program, elsewhere)).ready
          expect(readdirSync(lib)).toEqual(expect.arrayContaining(links.map(({ name }) => name)))
        }),
    )

    it.effect("an ordinary user, then root, then the user again: the same data", () =>
      Effect.gen(function* () {
        const program = yield* Checkout.make
        yield* Checkout.open(program)
        const dataDir = yield* Checkout.folder(65_534)
        for (const options of [{ uid: 65_534 }, {}, { uid: 65_534 }]) {
          const owner = yield* Checkout.start(program, dataDir, options)
          const { url, pid } = yield* owner.ready
          expect(status(pid).Uid?.split("\t")[0]).toBe("65534")
          yield* (yield* connect(url))`create table if not exists kept (n int)`
          const second = yield* Checkout.start(program, dataDir, { uid: 65_534 })
          expect(yield* second.answer).toMatchObject({ error: "DataFolderInUse", pid: owner.child.pid })
          owner.child.kill("SIGINT")
          yield* owner.exited
        }
      }),
    )

    it.effect("a user id without a name", () =>
      Effect.gen(function* () {
        const program = yield* Checkout.make
        yield* Checkout.open(program)
        const dataDir = yield* Checkout.folder(54_321)
        const { url } = yield* (yield* Checkout.start(program, dataDir, { uid: 54_321 })).ready
        expect(yield* (yield* connect(url))`select 1 as one`).toEqual([{ one: 1 }])
        expect(statSync(join(dataDir, "cluster")).uid).toBe(54_321)
      }),
    )
  })
})
