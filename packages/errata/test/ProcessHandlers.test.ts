/** Runs processes that really end. Another instance on the same storage then reads their reports. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { text } from "node:stream/consumers"
import { TestDatabase } from "@errata/storage-postgres/embedded"
import { Effect, Exit, Redacted, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { buildProgram } from "../../../test/Program.js"
import { embedded } from "../src/embedded.js"
import { postgres } from "../src/postgres.js"
import { instances } from "./support/Instances.js"

const make = instances()
const scope = Effect.runSync(Scope.make())
let program = ""
let url = ""
let folder = ""
beforeAll(async () => {
  program = await buildProgram("crash", new URL("support/crash.ts", import.meta.url))
  folder = join(await mkdtemp(join(tmpdir(), "errata-crash-")), "data")
  const made = TestDatabase.make(Redacted.make(inject("databaseServer")))
  url = Redacted.value(await Effect.runPromise(Scope.provide(made, scope)))
})
afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  await rm(dirname(folder), { recursive: true, force: true })
})

const end = async (...args: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "ignore", "pipe"] })
  const [stderr, [code, signal]] = await Promise.all([text(child.stderr), once(child, "exit")])
  return { stderr, code, signal }
}

describe.each([
  ["PostgreSQL", () => ({ place: url, storage: postgres({ url }) })],
  ["the embedded database", () => ({ place: folder, storage: embedded({ dir: folder }) })],
])("on %s", (_, storageOf) => {
  // Four processes, one after the other.
  it("stores the error that ends a process", { timeout: 600_000 }, async () => {
    const { place, storage } = storageOf()
    expect(await end("exception", place)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("RangeError: thrown\n    at "),
    })
    expect(await end("rejection", place)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("RangeError: rejected\n    at "),
    })
    expect(await end("SIGTERM", place)).toMatchObject({ code: null, signal: "SIGTERM" })
    // The application has its own listener.
    expect(await end("handled", place)).toMatchObject({ code: 7 })

    const { groups, project } = await make({ storage })
    const recorded = async () => {
      const { groups: list } = await groups.list(project.id)
      return list.map(({ error_message, severity }) => `${severity}: ${error_message}`).sort()
    }
    await expect
      .poll(recorded, { timeout: 30_000 })
      .toEqual(["error: before the signal", "fatal: handled elsewhere", "fatal: rejected", "fatal: thrown"])
  })
})

it("ends a process in time if the storage does not answer", async () => {
  const { code, stderr } = await end("exception", "silent")
  expect(code).toBe(1)
  expect(stderr).toContain("RangeError: thrown")
  expect(stderr).toMatch(/errata warning: The process ends before .* more than 300 ms/)
})
