/** Scripts that never close their instance still end when their calls are done. */
import { execFile } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { TestDatabase } from "@errata/storage-postgres/embedded"
import { Effect, Exit, Redacted, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { buildProgram } from "../../../test/Program.js"
import { embedded } from "../src/embedded.js"
import { postgres } from "../src/postgres.js"
import { instances } from "./support/Instances.js"

const make = instances()
const run = promisify(execFile)
const scope = Effect.runSync(Scope.make())
let program = ""
let url = ""
let folder = ""
beforeAll(async () => {
  program = await buildProgram("unclosed", new URL("support/unclosed.ts", import.meta.url))
  folder = join(await mkdtemp(join(tmpdir(), "errata-unclosed-")), "data")
  const made = TestDatabase.make(Redacted.make(inject("databaseServer")))
  url = Redacted.value(await Effect.runPromise(Scope.provide(made, scope)))
})
afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  await rm(dirname(folder), { recursive: true, force: true })
})

/** Fails if the process does not end. It may have to make a database first. */
const output = async (place: string) =>
  (await run(process.execPath, [program, place], { timeout: 150_000 })).stdout

describe("a script without close ends", () => {
  it("in memory", async () => {
    expect(await output("memory")).toBe("a")
  })

  it.each([
    ["on PostgreSQL", () => ({ place: url, storage: postgres({ url }) })],
    ["on the embedded database", () => ({ place: folder, storage: embedded({ dir: folder }) })],
  ])("%s, and its last error is recorded at the next start", async (_, storageOf) => {
    const { place, storage } = storageOf()
    expect(await output(place)).toBe("a")
    const { groups, project } = await make({ storage })
    const messages = async () => (await groups.list(project.id)).groups.map((group) => group.error_message)
    await expect.poll(async () => (await messages()).sort(), { timeout: 120_000 }).toEqual(["a", "b"])
  })
})
