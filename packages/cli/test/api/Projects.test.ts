import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { createProject } from "../support/Rest.js"
import { wire } from "./support/Cli.js"
import { cli, TestServer } from "./support/TestServer.js"

layer(TestServer.layer, { excludeTestServices: true })("errata projects", (it) => {
  it.effect("creates, shows, changes and lists them", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const created = yield* cli([
        "projects",
        "create",
        "Tea shop",
        "--platform",
        "node",
        "--timezone",
        "Europe/Berlin",
      ])
      expect(created).toMatchObject({ code: 0, stderr: "" })
      expect(created.stdout).toMatch(/^Project {4}Tea shop$/m)
      const dsn = /^DSN +(\S+)$/m.exec(created.stdout)?.[1] ?? ""
      expect(dsn).toMatch(new RegExp(`^http://[0-9a-f]{32}@${new URL(server.url).host}/\\d+$`))
      const id = dsn.slice(dsn.lastIndexOf("/") + 1)
      // By name, by id and as the default project.
      for (const [args, env] of [
        [["Tea shop"], {}],
        [[id], {}],
        [[], { ERRATA_PROJECT: "Tea shop" }],
      ] as const) {
        expect((yield* cli(["projects", "dsn", ...args], { env })).stdout).toBe(`${dsn}\n`)
        const asJson = (yield* cli(["projects", "dsn", ...args, "--json"], { env })).stdout
        expect(JSON.parse(asJson)).toEqual({ dsn })
      }
      const renamed = yield* cli(["projects", "update", "Tea shop", "--name", "Coffee shop"])
      expect(renamed.stdout).toMatch(
        /^Project {4}Coffee shop\nId {9}\d+\nPlatform {3}node\nTime zone {2}Europe\/Berlin$/m,
      )
      const list = yield* cli(["projects", "list", "--name", "Coffee shop"])
      expect(list.stdout).toMatch(/^ID {2}NAME {9}PLATFORM {2}GROUPS {2}REPORTS {2}MUTED {2}CREATED\n/)
      expect(list.stdout.split("\n")[1]).toMatch(
        /^ ?\d+ {2}Coffee shop {2}node +0 +0 {9}(just now|\d+s ago)$/,
      )
    }),
  )

  it.effect("prints the API's JSON unchanged, in one line, or indented on a terminal", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      yield* createProject(server, "Wire")
      const page = yield* wire(server, "/projects?limit=2")
      expect(yield* cli(["projects", "list", "--limit", "2", "--json"])).toEqual({
        code: 0,
        stdout: `${page}\n`,
        stderr: "",
      })
      const [project] = JSON.parse(yield* wire(server, "/projects?name=Wire")).projects
      expect((yield* cli(["projects", "get", "Wire", "--json"])).stdout).toBe(`${JSON.stringify(project)}\n`)
      expect((yield* cli(["projects", "get", "--json", String(project.id)], { width: 80 })).stdout).toBe(
        `${JSON.stringify(project, null, 2)}\n`,
      )
    }),
  )

  it.effect("lists all pages, one item per line", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      for (let i = 0; i < 4; i++) yield* createProject(server, `Page ${i}`)
      const { projects } = JSON.parse(yield* wire(server, "/projects?limit=100"))
      const first = yield* cli(["projects", "list", "--limit", "2"])
      expect(first.stdout.trim().split("\n")).toHaveLength(3)
      const cursor = projects[1].id
      expect(first.stderr).toBe(
        `More entries exist. Continue with --cursor ${cursor}, or list all with --all.\n`,
      )
      const second = yield* cli(["projects", "list", "--limit", "1", "--cursor", String(cursor), "--json"])
      expect(JSON.parse(second.stdout).projects).toEqual([projects[2]])
      const lines = yield* cli(["projects", "list", "--limit", "2", "--all", "--json"])
      expect(
        lines.stdout
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line)),
      ).toEqual(projects)
      expect(
        (yield* cli(["projects", "list", "--all", "--limit", "2"])).stdout.trim().split("\n"),
      ).toHaveLength(projects.length + 1)
    }),
  )

  it.effect("mutes, unmutes, and changes notification settings", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const { id } = yield* createProject(server, "Noisy")
      const view = Effect.map(wire(server, `/projects/${id}`), (text) => JSON.parse(text))
      expect(yield* cli(["projects", "mute", "Noisy"])).toEqual({
        code: 0,
        stdout: "",
        stderr: `Muted project ${id} indefinitely.\n`,
      })
      expect(yield* view).toMatchObject({ muted: true, muted_until: null })
      yield* cli(["projects", "mute", "Noisy", "--until", "2999-01-02"])
      expect(yield* view).toMatchObject({ muted: true, muted_until: "2999-01-02T00:00:00.000Z" })
      expect((yield* cli(["projects", "unmute", "Noisy"])).code).toBe(0)
      expect(yield* view).toMatchObject({ muted: false })

      expect((yield* cli(["projects", "settings", "Noisy"])).stdout).toBe("Only error and fatal  no\n")
      const changed = yield* cli([
        "projects",
        "settings",
        "Noisy",
        "--error-and-fatal-only",
        "true",
        "--json",
      ])
      expect(changed.stdout).toBe('{"error_and_fatal_notifications_only":true}\n')
    }),
  )

  it.effect("deletes only with --yes", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      yield* createProject(server, "Gone soon")
      const asked = yield* cli(["projects", "delete", "Gone soon"])
      expect(asked).toMatchObject({ code: 2, stdout: "" })
      expect(asked.stderr).toContain("Give --yes")
      expect((yield* cli(["projects", "get", "Gone soon"])).code).toBe(0)
      expect(yield* cli(["projects", "delete", "-y", "Gone soon"])).toEqual({
        code: 0,
        stdout: "",
        stderr: 'Deleted the project "Gone soon".\n',
      })
      const missing = yield* cli(["projects", "get", "Gone soon"])
      expect(missing).toEqual({
        code: 4,
        stdout: "",
        stderr: 'errata: Not found: this API key has access to no project named "Gone soon"\n',
      })
    }),
  )

  it.effect("exits with a status for each failure", () =>
    Effect.gen(function* () {
      const { url } = yield* TestServer
      const get = ["projects", "get", "1"]
      expect(yield* cli(get, { env: { ERRATA_API_KEY: "errata_wrong" } })).toEqual({
        code: 3,
        stdout: "",
        stderr: `errata: ${url} rejected the API key. Log in with another key (errata login), or check ERRATA_API_KEY.\n`,
      })
      expect(yield* cli(["projects", "get", "999999"])).toMatchObject({
        code: 4,
        stderr: expect.stringMatching(/^errata: Not found: .+\n$/),
      })
      expect(yield* cli(["projects", "create", " ", "--timezone", "Moon/Crater"])).toMatchObject({
        code: 5,
        stderr: expect.stringMatching(/^errata: The server rejected the request: .*name .*timezone .*\n$/),
      })
      expect(yield* cli(["projects", "list", "--limit", "0"])).toMatchObject({ code: 5 })
      expect(yield* cli(["projects", "get"])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("No project is selected."),
      })
      expect(yield* cli(get, { env: { ERRATA_URL: "" } })).toMatchObject({
        code: 3,
        stderr: expect.stringContaining("No server is selected."),
      })
      expect(yield* cli([...get, "--url", "ftp://x"])).toMatchObject({ code: 2 })
    }),
  )
})
