/** Unusable data folders, and clients of another process's database. */
import { spawnSync } from "node:child_process"
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { describe, expect, it, layer } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import { EmbeddedPostgres } from "../../src/embedded/index.js"
import { unusable } from "../../src/embedded/internal/DataFolder.js"
import * as EndpointFile from "../../src/embedded/internal/EndpointFile.js"
import * as FolderLock from "../../src/embedded/internal/FolderLock.js"
import * as Checkout from "./support/Checkout.js"
import { connect } from "./support/client.js"

class Program extends Context.Service<Program, Checkout.Checkout>()("Program") {
  static readonly layer = Layer.effect(
    Program,
    Effect.tap(Checkout.make, (program) => Checkout.open(program)),
  )
}

const isRoot = process.getuid?.() === 0
const canMount =
  isRoot && spawnSync("unshare", ["--mount", "sh", "-c", "mount -t tmpfs none /tmp"]).status === 0

const refusal = (code: string, path?: string) =>
  unusable("/data")(Object.assign(new Error(code), { code, path })).message

describe("a data folder that cannot be used", () => {
  it("is reported with a sentence for each system error", () => {
    expect(refusal("EROFS")).toBe(
      "The data folder /data cannot be used: its file system is read-only. Choose another folder.",
    )
    for (const code of ["ENOSPC", "EDQUOT"])
      expect(refusal(code)).toContain("its disk is full. Free up space")
    for (const code of ["EACCES", "EPERM"]) expect(refusal(code)).toContain(" cannot write there.")
    expect(refusal("EIO")).toBe("The data folder /data cannot be used: EIO")
  })

  // Another user and a separate disk require root.
  layer(Program.layer, { excludeTestServices: true })((it) => {
    it.effect.runIf(isRoot)("by a user who cannot write there", () =>
      Effect.gen(function* () {
        const folder = yield* Checkout.folder()
        chmodSync(folder, 0o755)
        for (const dataDir of [folder, join(folder, "made")]) {
          const owner = yield* Checkout.start(yield* Program, dataDir, { uid: 65_534 })
          expect(yield* owner.answer).toMatchObject({
            error: "DataFolderUnusable",
            message: expect.stringMatching(/^The data folder \S+ cannot be used: The user \S+ cannot write/),
          })
        }
        expect(readdirSync(folder)).toEqual([])
      }),
    )

    it.effect.runIf(canMount)("on a disk without room for it", () =>
      Effect.gen(function* () {
        const disk = yield* Checkout.folder()
        // A mount of this process only.
        const script = `mount -t tmpfs -o size=30m none "$0" && "$@"`
        const owner = yield* Checkout.start(yield* Program, join(disk, "data"), {
          under: ["unshare", "--mount", "sh", "-c", script, disk],
        })
        expect(yield* owner.answer).toMatchObject({
          error: "DataFolderUnusable",
          message: `The data folder ${join(disk, "data")} cannot be used: its disk is full. Free up space, or choose a folder on another disk. A new database takes 60 MB.`,
        })
      }),
    )

    it.effect.runIf(isRoot)("as a client, while another user has it", () =>
      Effect.gen(function* () {
        const dataDir = yield* Checkout.folder(65_534)
        const owner = yield* Checkout.start(yield* Program, dataDir, { uid: 65_534 })
        yield* owner.ready
        expect(yield* Effect.flip(EmbeddedPostgres.attach(dataDir))).toMatchObject({
          _tag: "DataFolderOfAnother",
          pid: owner.child.pid,
        })
      }),
    )
  })
})

describe("EmbeddedPostgres.attach", () => {
  it.live("finds the database of the process that holds the folder, and nothing after its end", () =>
    Effect.gen(function* () {
      const dataDir = join(yield* Checkout.folder(), "data")
      expect(yield* Effect.flip(EmbeddedPostgres.attach(dataDir))).toMatchObject({
        _tag: "NothingRuns",
        dataDir,
      })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { url } = yield* EmbeddedPostgres.make({ dataDir, durable: false })
          expect(yield* EmbeddedPostgres.attach(dataDir)).toEqual(url)
          const sql = yield* connect(yield* EmbeddedPostgres.attach(dataDir))
          expect(yield* sql`select 1 as one`).toEqual([{ one: 1 }])
        }),
      )
      expect(existsSync(join(dataDir, "endpoint"))).toBe(false)
      expect(yield* Effect.flip(EmbeddedPostgres.attach(dataDir))).toMatchObject({ _tag: "NothingRuns" })
    }),
  )

  it.live("uses only an address that the holder of the folder has written", () =>
    Effect.gen(function* () {
      const dataDir = yield* Checkout.folder()
      yield* FolderLock.acquire(dataDir)
      const holding = Option.getOrThrow(yield* FolderLock.holding(dataDir))
      expect(holding).toMatchObject({ pid: process.pid, isOwn: true })
      const find = Effect.map(EndpointFile.find(dataDir, holding), Option.getOrNull)
      const socketDir = join(dataDir, "socket")
      mkdirSync(join(dataDir, "cluster"), { mode: 0o700 })
      mkdirSync(socketDir, { mode: 0o700 })
      expect(yield* find).toBe(null)

      yield* EndpointFile.publish(dataDir, holding.id, { socketDir, port: 5432 })
      expect(yield* find).toEqual({ socketDir, port: 5432 })
      const said = readFileSync(join(dataDir, "endpoint"), "utf8")

      // A folder that other users can enter.
      chmodSync(socketDir, 0o755)
      expect(yield* find).toBe(null)
      chmodSync(socketDir, 0o700)
      // Left by an earlier holder of the folder.
      writeFileSync(join(dataDir, "endpoint"), said.replace(holding.id, "former"))
      expect(yield* find).toBe(null)
      writeFileSync(join(dataDir, "endpoint"), "{")
      expect(yield* find).toBe(null)
      writeFileSync(join(dataDir, "endpoint"), said)
      expect(yield* find).toEqual({ socketDir, port: 5432 })
      if (isRoot) {
        // A file and a socket of another user.
        chownSync(join(dataDir, "endpoint"), 54_321, 54_321)
        expect(yield* find).toBe(null)
        chownSync(join(dataDir, "endpoint"), 0, 0)
        chownSync(socketDir, 54_321, 54_321)
        expect(yield* find).toBe(null)
      }
    }),
  )
})
