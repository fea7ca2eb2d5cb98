import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { it } from "@effect/vitest"
import { RateLimitStore } from "@errata/core/ports"
import { MemoryStorage } from "@errata/storage-memory"
import { storageContract, storageSuites } from "@errata/testing"
import { Duration, Effect, Layer } from "effect"
import { afterAll, describe, expect } from "vitest"
import * as SqliteStores from "../SqliteStores.js"

const folder = mkdtempSync(join(tmpdir(), "errata-sqlite-"))
afterAll(() => rmSync(folder, { recursive: true }))

const path = join(folder, "errata.sqlite")
const memory = MemoryStorage.layer

/** Suites of the two ports and of the services that use them. */
const suites = storageSuites.filter(({ name }) =>
  ["RateLimitStore", "RateLimitStore.draw", "IntakeGuard", "JobStore", "BackgroundWork"].includes(name),
)

storageContract(
  "A storage with ports in SQLite",
  {
    layer: Layer.merge(memory, SqliteStores.layer(path)),
    // The same file through another connection.
    secondNode: Layer.merge(memory, Layer.fresh(SqliteStores.layer(path))),
  },
  suites,
)

describe("ports in SQLite", () => {
  it("are tested with existing suites", () => expect(suites).toHaveLength(5))

  it.effect("continue counting after a restart", () => {
    const take = Effect.flatMap(RateLimitStore, (throttles) =>
      throttles.take("192.0.2.1", 1, Duration.minutes(15)),
    ).pipe(Effect.provide(Layer.fresh(SqliteStores.layer(path))))
    return Effect.gen(function* () {
      expect((yield* take).allowed).toBe(true)
      expect((yield* take).allowed).toBe(false)
    })
  })

  it.effect("fail with a storage error if the file cannot be opened", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(Layer.build(SqliteStores.layer("/dev/null/errata.sqlite")))
      expect(failure).toMatchObject({ _tag: "StorageError", reason: "unavailable" })
    }).pipe(Effect.scoped),
  )
})
