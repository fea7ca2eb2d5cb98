import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { it as itEffect } from "@effect/vitest"
import { MemoryStorage } from "@errata/storage-memory"
import { storageContract, storageSuites } from "@errata/testing"
import { Duration, Effect, Layer } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import * as FolderThrottleStore from "../FolderThrottleStore.js"

const folder = mkdtempSync(join(tmpdir(), "errata-throttles-"))
afterAll(() => rmSync(folder, { recursive: true }))

const suites = storageSuites.filter(({ name }) => name === "ThrottleStore")

storageContract(
  "A storage with throttles in a folder",
  { layer: Layer.merge(MemoryStorage.layer, FolderThrottleStore.layer(folder)) },
  suites,
)

describe("throttles in a folder", () => {
  it("are held to a suite that exists", () => expect(suites).toHaveLength(1))

  itEffect.effect("count on after a restart", () =>
    Effect.gen(function* () {
      const before = yield* FolderThrottleStore.make(folder)
      yield* before.take("192.0.2.1", 1, Duration.minutes(15))
      const after = yield* FolderThrottleStore.make(folder)
      expect((yield* after.take("192.0.2.1", 1, Duration.minutes(15))).allowed).toBe(false)
    }),
  )

  itEffect.effect("expire also where a process was killed while it wrote one", () =>
    Effect.gen(function* () {
      const fresh = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "errata-throttles-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true })),
      )
      const throttles = yield* FolderThrottleStore.make(fresh)
      yield* throttles.take("192.0.2.2", 1, Duration.zero)
      const [name] = readdirSync(fresh)
      writeFileSync(join(fresh, `${name}.new`), '{"atte')
      expect(yield* throttles.expire(10)).toBe(1)
      expect((yield* throttles.take("192.0.2.2", 1, Duration.zero)).allowed).toBe(true)
    }),
  )

  itEffect.effect("fail as a storage does where the folder cannot be made", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(FolderThrottleStore.make("/dev/null/throttles"))
      expect(failure).toMatchObject({ _tag: "StorageError", reason: "unavailable" })
    }),
  )
})
