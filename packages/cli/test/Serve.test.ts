import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import * as DashboardPackage from "../src/DashboardPackage.js"
import { until } from "./faults/support/Wait.js"
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
      // Workers that have just started are not stale. On a busy machine, the database may not respond in time.
      yield* until("it is ready", async () => (await fetch(`${first.url}/ready`)).status === 200)
      expect(first.output()).not.toMatch(/Not ready: .*stale/)
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
      expect(second.output()).not.toContain("level=WARN")
      expect((yield* get(second, "/projects")).projects).toHaveLength(1)
      yield* Effect.promise(() => second.end("SIGTERM"))

      const other = { ERRATA_ADMIN_API_KEY: "errata_another-key-of-an-admin" }
      const third = yield* Server.start(["--data-dir", dataDir], other)
      expect(third.stderr()).toMatch(
        /level=WARN message="The configured API key is not in use, because an admin exists\. .*" setting=ERRATA_ADMIN_API_KEY/,
      )
      expect(third.output()).not.toContain(other.ERRATA_ADMIN_API_KEY)
    }),
  )

  it.live("names the command with npx if npm started it", () =>
    Effect.gen(function* () {
      const server = yield* Server.start(["--storage", "memory"], { npm_command: "run-script" })
      expect(server.output()).toContain(`  npx errata login --url ${server.url}\n  npx errata groups list\n`)
    }),
  )

  it.live("shows an API key that it created once, and no given key", () =>
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

  it.live("serves the dashboard, and signs in by the link of the first start", () =>
    Effect.gen(function* () {
      const server = yield* Server.start(["--storage", "memory"], { ERRATA_ADMIN_API_KEY: "" })
      const { output, url } = server
      expect(output()).toContain("The dashboard is at the same address. Open it in a browser.")
      const [, link = ""] = /Open the dashboard \(.*\): (\S+)/.exec(output())!
      const visit = (address: string, init: RequestInit = {}) =>
        Effect.promise(() => fetch(address, { redirect: "manual", ...init }))
      const page = yield* Effect.flatMap(visit(link), (answer) => Effect.promise(() => answer.text()))
      const cookie = (yield* visit(link)).headers.getSetCookie()[0]!.split(";")[0]!
      expect(page).toContain("Sign in")
      const again = yield* Effect.flatMap(visit(link, { headers: { cookie } }), (answer) =>
        Effect.promise(() => answer.text()),
      )
      const fields = Array.from(again.matchAll(/name="(\w+)" value="([^"]*)"/g), ([, name, value]) => [
        name!,
        value!,
      ])
      const entered = yield* visit(`${url}/sign_in/link`, {
        method: "POST",
        headers: { cookie, origin: url },
        body: new URLSearchParams(fields),
      })
      expect(new URL(entered.headers.get("location")!, `${url}/sign_in/link`).href).toBe(
        `${url}/projects/1/groups`,
      )
      const shell = yield* visit(`${url}/projects/1/groups/2`)
      expect(yield* Effect.promise(() => shell.text())).toBe('<html data-depth="3"></html>')
    }),
  )

  it.live("does not serve the dashboard if an option or a setting disables it", () =>
    Effect.gen(function* () {
      for (const [args, env] of [
        [["--no-dashboard"], {}],
        [[], { ERRATA_DASHBOARD_ENABLED: "false" }],
      ] as const) {
        const { output, url } = yield* Server.start(["--storage", "memory", ...args], env)
        expect(output()).not.toContain("dashboard")
        expect((yield* Effect.promise(() => fetch(`${url}/projects`))).status).toBe(404)
        expect((yield* Effect.promise(() => fetch(url))).status).toBe(200)
      }
    }),
  )

  it.effect("starts if the dashboard is not built, and logs one line", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.layer([Logger.map(Logger.formatLogFmt, (line) => lines.push(line))])
      const loaded = yield* Effect.provide(DashboardPackage.load("@errata/not-built"), logger)
      expect(loaded).toBeUndefined()
      expect(lines).toHaveLength(1)
      expect(lines[0]).toContain("Build it with npm run build")
      expect(lines[0]).toContain("@errata/not-built")
    }),
  )
})
