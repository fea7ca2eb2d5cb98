import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Server from "./support/Server.js"

const get = (server: Server.Server, path: string) =>
  Effect.promise(async () => {
    const response = await fetch(`${server.url}/api/service/v1${path}`, {
      headers: { authorization: `Bearer ${server.apiKey}` },
    })
    return (await response.json()) as { readonly projects: ReadonlyArray<{ readonly name: string }> }
  })

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "errata-cli-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 })),
)

describe("errata serve", () => {
  it.live("creates the admin and a project at the first start only, and keeps them", () =>
    Effect.gen(function* () {
      const dataDir = join(yield* temporaryFolder, "data")
      const first = yield* Server.start(["--data-dir", dataDir])
      expect(first.output()).toContain("Created the admin admin@localhost.")
      expect(first.output()).toContain("curl ")
      // Workers that have just started are not stale.
      expect((yield* Effect.promise(() => fetch(`${first.url}/ready`))).status).toBe(200)
      expect(first.output()).not.toContain("Not ready")
      expect(first.output()).toContain(`  errata login --url ${first.url}\n  errata groups list\n`)
      expect(first.output()).toContain(
        "Details of reports are deleted after 90 days. Groups and counts are kept.",
      )
      expect((yield* get(first, "/projects")).projects.map((project) => project.name)).toEqual([
        "First project",
      ])
      expect(yield* Effect.promise(() => first.end("SIGTERM"))).toBe(0)

      const second = yield* Server.start(["--data-dir", dataDir])
      expect(second.output()).not.toContain("Created")
      expect((yield* get(second, "/projects")).projects).toHaveLength(1)
    }),
  )

  it.live("names the command as npm's users type it", () =>
    Effect.gen(function* () {
      const server = yield* Server.start(["--storage", "memory"], { npm_command: "run-script" })
      expect(server.output()).toContain(`  npx errata login --url ${server.url}\n  npx errata groups list\n`)
    }),
  )

  it.live("shows an API key that it made itself once, and none that it was given", () =>
    Effect.gen(function* () {
      const given = yield* Server.start(["--storage", "memory"])
      expect(given.output()).not.toContain(given.apiKey)
      expect(given.output()).not.toContain("printed above")
      expect(given.output()).toContain("Read errors in a terminal, with your API key:")
      const made = yield* Server.start(["--storage", "memory"], { ERRATA_ADMIN_API_KEY: "" })
      const [apiKey] = /errata_[0-9a-f]{64}/.exec(made.output())!
      expect((yield* get({ ...made, apiKey }, "/projects")).projects).toHaveLength(1)
    }),
  )
})
