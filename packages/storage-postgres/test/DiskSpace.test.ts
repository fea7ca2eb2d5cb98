/** Locates the database's files and measures the free disk space. */

import { mkdir, mkdtemp, rm, statfs, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { DiskSpace } from "@errata/core/ports"
import { Effect, Layer, type Redacted, Result } from "effect"
import { SqlClient } from "effect/sql"
import * as PostgresClient from "../src/PostgresClient.js"
import * as PostgresDiskSpace from "../src/PostgresDiskSpace.js"
import { freshDatabase } from "./support/database.js"

const temporaryFolder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "errata-disk-"))),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true, maxRetries: 5 })),
)

const measure = Effect.flatMap(DiskSpace, (disk) => Effect.result(disk.measure))

/** A client that returns `row` for every query. */
const answering = (row: object) =>
  Layer.succeed(SqlClient.SqlClient, (() => Effect.succeed([row])) as unknown as SqlClient.SqlClient)

const at = (url: Redacted.Redacted, path?: string) =>
  measure.pipe(Effect.provide(PostgresDiskSpace.layer(path)), Effect.provide(PostgresClient.layer({ url })))

describe("DiskSpace on PostgreSQL", () => {
  it.live("measures the configured path", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const measured = Result.getOrThrow(yield* at(url, tmpdir()))
      const { blocks, bsize } = yield* Effect.promise(() => statfs(tmpdir()))
      expect(measured.totalBytes).toBe(blocks * bsize)
      expect(measured.freeBytes).toBeGreaterThan(0)
      expect(measured.freeBytes).toBeLessThan(measured.totalBytes)
    }),
  )

  it.live("cannot be measured at a missing path", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const failure = Result.getOrThrow(Result.flip(yield* at(url, join(tmpdir(), "is-not-there"))))
      expect(failure._tag).toBe("DiskUnmeasurable")
      expect(failure.reason).toContain("ENOENT")
      expect(failure.why).toBeUndefined()
    }),
  )

  it.live("is measured at the server's data folder if this host has it", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const control = Buffer.alloc(16)
      control.writeBigUInt64LE(7_574_913_212_345_678_901n)
      yield* Effect.promise(async () => {
        await mkdir(join(folder, "global"))
        await writeFile(join(folder, "global", "pg_control"), control)
      })
      const told = (row: { readonly folder: string | null; readonly identifier: string }) =>
        measure.pipe(Effect.provide(PostgresDiskSpace.layer(undefined)), Effect.provide(answering(row)))
      const { blocks, bsize } = yield* Effect.promise(() => statfs(folder))
      const identifier = "7574913212345678901"
      expect(Result.getOrThrow(yield* told({ folder, identifier })).totalBytes).toBe(blocks * bsize)

      // A tunnel: the server reports a folder that also exists on this host.
      const other = Result.getOrThrow(Result.flip(yield* told({ folder, identifier: "7" })))
      expect(other).toMatchObject({ why: "elsewhere" })
      expect(other.reason).toContain("on another host")
      const missing = Result.getOrThrow(Result.flip(yield* told({ folder: join(folder, "x"), identifier })))
      expect(missing).toMatchObject({ why: "elsewhere" })
      const hidden = Result.getOrThrow(Result.flip(yield* told({ folder: null, identifier })))
      expect(hidden).toMatchObject({ why: "elsewhere" })
    }),
  )

  it.live("queries the server's data folder with a valid statement", () =>
    Effect.gen(function* () {
      const measured = yield* at(yield* freshDatabase)
      // The outcome depends on which user runs the tests' shared server.
      const told = Result.match(measured, { onFailure: ({ reason }) => reason, onSuccess: () => "measured" })
      expect(told).toMatch(
        /^(measured|.*(location of the data directory|cannot be read on this host|another host).*)$/,
      )
    }),
  )
})
