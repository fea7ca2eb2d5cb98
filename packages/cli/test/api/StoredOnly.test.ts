import { expect, layer } from "@effect/vitest"
import { type Setting, storedOnlyNote } from "@errata/core"
import { Effect } from "effect"
import { createProject } from "../support/Rest.js"
import { cli, TestServer } from "./support/TestServer.js"

/** The line on standard error; none where the setting is acted upon. */
const lineOf = (setting: Setting): string => {
  const note = storedOnlyNote(setting)
  return note === null ? "" : `${note}\n`
}

layer(TestServer.layer, { excludeTestServices: true })("what is only stored", (it) => {
  it.effect("is told when it is set, and not when it is read", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      yield* createProject(server, "Stored")
      const env = { ERRATA_PROJECT: "Stored" }
      const cases: ReadonlyArray<readonly [args: ReadonlyArray<string>, setting: Setting]> = [
        [["origins", "create", "https://cdn.example.com"], "sourcemapOrigins"],
        [["policies", "set", "ingest-protection", "enabled=true"], "ingestProtection"],
        [["policies", "set", "error-retention", "enabled=true"], "errorRetention"],
        [["policies", "set", "artifact-retention", "enabled=true"], "artifactRetention"],
        [["policies", "set", "hosted-sourcemaps", "enabled=true"], "hostedSourcemaps"],
      ]
      for (const [args, setting] of cases) {
        const { code, stderr, stdout } = yield* cli([...args, "--json"], { env })
        expect([args, code, stderr]).toEqual([args, 0, lineOf(setting)])
        expect(JSON.parse(stdout)).toBeTypeOf("object")
      }
      for (const args of [
        ["origins", "list"],
        ["policies", "list"],
      ]) {
        expect((yield* cli([...args, "--json"], { env })).stderr).toBe("")
      }
    }),
  )

  it.effect("is told in the help of what sets it", () =>
    Effect.gen(function* () {
      const settings = {
        "origins create": "sourcemapOrigins",
        "policies set": "hostedSourcemaps",
      } as const
      for (const [command, setting] of Object.entries(settings)) {
        const { stdout } = yield* cli([...command.split(" "), "--help"])
        const note = storedOnlyNote(setting)
        expect([command, stdout.replaceAll(/\s+/g, " ").includes(note ?? "yet.")]).toEqual([
          command,
          note !== null,
        ])
      }
    }),
  )
})
