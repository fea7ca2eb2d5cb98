import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Folder from "../faults/support/Folder.js"
import { createProject } from "../support/Rest.js"
import { wire } from "./support/Cli.js"
import { cli, TestServer } from "./support/TestServer.js"

layer(TestServer.layer, { excludeTestServices: true })("the other rooms", (it) => {
  it.effect("errata members: adds, lists and removes users of a project", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const { id } = yield* createProject(server, "Members")
      const env = { ERRATA_PROJECT: "Members" }
      expect(yield* cli(["members", "add", "admin@localhost"], { env })).toEqual({
        code: 0,
        stdout: "",
        stderr: `User 1 is a member of project ${id}.\n`,
      })
      expect((yield* cli(["members", "list", "--json"], { env })).stdout).toBe(
        `${yield* wire(server, `/projects/${id}/users`)}\n`,
      )
      expect((yield* cli(["members", "list"], { env })).stdout).toMatch(
        /^ID {2}EMAIL {12}NAME {3}ROLE {3}PROJECTS {2}CREATED\n 1 {2}admin@localhost {2}Admin {2}admin {2}all /,
      )
      expect((yield* cli(["members", "remove", "1"], { env })).code).toBe(0)
      expect((yield* cli(["members", "add", "999999"], { env })).code).toBe(5)
      expect((yield* cli(["members", "add", "nobody@example.com"], { env })).code).toBe(4)
    }),
  )

  it.effect("errata origins: allows, lists and removes origins", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const { id } = yield* createProject(server, "Origins")
      const env = { ERRATA_PROJECT: "Origins" }
      const created = yield* cli(["origins", "create", "https://CDN.example.com:443/", "--json"], { env })
      expect(JSON.parse(created.stdout).origin).toBe("https://cdn.example.com")
      expect((yield* cli(["origins", "list", "--json"], { env })).stdout).toBe(
        `${yield* wire(server, `/projects/${id}/hosted_sourcemap_origins`)}\n`,
      )
      expect((yield* cli(["origins", "list"], { env })).stdout).toMatch(/ https:\/\/cdn\.example\.com {2}/)
      const refused = yield* cli(["origins", "create", "http://127.0.0.1"], { env })
      expect(refused).toMatchObject({ code: 5, stderr: expect.stringMatching(/: origin .+\n$/) })
      expect((yield* cli(["origins", "delete", "https://cdn.example.com/"], { env })).code).toBe(0)
      expect((yield* cli(["origins", "list"], { env })).stderr).toBe("No origins.\n")
      expect((yield* cli(["origins", "delete", "https://cdn.example.com"], { env })).code).toBe(4)
    }),
  )

  it.effect("errata webhooks and deliveries: the secret is shown once", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const { id } = yield* createProject(server, "Webhooks")
      const env = { ERRATA_PROJECT: "Webhooks" }
      const created = yield* cli(
        ["webhooks", "create", "https://example.com/hook", "-e", "group.created", "-e", "group.resolved"],
        { env },
      )
      expect(created.code).toBe(0)
      expect(created.stdout).toMatch(/^Secret {3}whsec_\S+$/m)
      expect(created.stdout).toMatch(/^Events {3}group\.created, group\.resolved$/m)
      const webhook = /^Webhook {2}(\d+)$/m.exec(created.stdout)![1]!
      const json = yield* wire(server, `/projects/${id}/webhooks`)
      expect((yield* cli(["webhooks", "list", "--json"], { env })).stdout).toBe(`${json}\n`)
      expect(json).not.toContain("whsec_")
      const updated = yield* cli(
        [
          "webhooks",
          "update",
          webhook,
          "--enabled",
          "false",
          "--event",
          "group.muted",
          "--target",
          "https://b.example.com",
        ],
        { env },
      )
      expect(updated.stdout).toMatch(
        /^URL {6}https:\/\/b\.example\.com\/?\nEvents {3}group\.muted\nEnabled {2}no$/m,
      )
      expect((yield* cli(["webhooks", "update", webhook], { env })).code).toBe(2)
      expect(
        (yield* cli(["webhooks", "create", "https://example.com", "-e", "group.eaten"], { env })).code,
      ).toBe(2)

      expect(yield* cli(["deliveries", "list", webhook], { env })).toEqual({
        code: 0,
        stdout: "",
        stderr: "No deliveries.\n",
      })
      const filter = ["--event", "group.created", "--success", "false"]
      expect((yield* cli(["deliveries", "list", webhook, ...filter, "--json"], { env })).stdout).toBe(
        '{"deliveries":[],"next_cursor":null,"has_more":false}\n',
      )
      expect((yield* cli(["deliveries", "get", webhook, "1"], { env })).code).toBe(4)
      expect((yield* cli(["webhooks", "delete", webhook], { env })).code).toBe(0)
      expect((yield* cli(["webhooks", "list"], { env })).stderr).toBe("No webhooks.\n")
    }),
  )

  it.effect("errata apps: groups projects by id or name", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const { id: web } = yield* createProject(server, "Web")
      const { id: api } = yield* createProject(server, "Api")
      const created = yield* cli(["apps", "create", "Shop", "-p", "Web"])
      expect(created.stdout).toMatch(new RegExp(`^App {7}Shop\nId {8}\\d+\nProjects {2}${web}$`, "m"))
      const both = yield* cli([
        "apps",
        "update",
        "Shop",
        "--project",
        "Web",
        "--project",
        String(api),
        "--json",
      ])
      expect(JSON.parse(both.stdout).project_ids.toSorted()).toEqual([web, api].toSorted())
      expect((yield* cli(["apps", "list", "--json"])).stdout).toBe(`${yield* wire(server, "/apps")}\n`)
      const renamed = yield* cli(["apps", "update", "Shop", "--name", "Store", "--no-projects"])
      expect(renamed.stdout).toMatch(/^App {7}Store\nId {8}\d+\nProjects {2}none$/m)
      expect((yield* cli(["apps", "update", "Store"])).code).toBe(2)
      expect((yield* cli(["apps", "delete", "Store"])).code).toBe(0)
      expect((yield* cli(["apps", "delete", "Store"])).code).toBe(4)
      expect((yield* cli(["apps", "list"])).stderr).toBe("No apps.\n")
    }),
  )

  it.effect("errata policies: shows all policies, and changes every field of the contract", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const list = yield* cli(["policies", "list"])
      expect(list.stdout.split("\n").filter((line) => /^[A-Z-]+$/.test(line))).toEqual([
        "INGEST-PROTECTION",
        "ERROR-RETENTION",
        "ARTIFACT-RETENTION",
        "HOSTED-SOURCEMAPS",
      ])
      for (const [name, path] of [
        ["ingest-protection", "ingest_protection"],
        ["error-retention", "errors"],
        ["artifact-retention", "artifacts"],
        ["hosted-sourcemaps", "hosted_sourcemaps"],
      ] as const) {
        expect((yield* cli(["policies", "get", name, "--json"])).stdout).toBe(
          `${yield* wire(server, `/data_retention/${path}`)}\n`,
        )
      }
      const set = yield* cli([
        ...["policies", "set", "error-retention", "--json"],
        ...["enabled=true", "retention_period_days=30", "time_purge_type=full"],
      ])
      expect(JSON.parse(set.stdout)).toMatchObject({
        enabled: true,
        retention_period_days: 30,
        time_purge_type: "full",
      })
      expect((yield* cli(["policies", "set", "artifact-retention", "max_releases_kept=7"])).stdout).toMatch(
        /^max_releases_kept +7$/m,
      )
      expect((yield* cli(["policies", "set", "hosted-sourcemaps", "enabled=false"])).stdout).toBe(
        "enabled  false\n",
      )
      expect(
        (yield* cli(["policies", "set", "ingest-protection", "global_rate_limit_per_minute=9000"])).code,
      ).toBe(0)

      const refused = (...values: ReadonlyArray<string>) =>
        Effect.map(cli(["policies", "set", "error-retention", ...values]), ({ code, stderr }) => ({
          code,
          stderr,
        }))
      expect(yield* refused("retention_days=3")).toEqual({
        code: 5,
        stderr: expect.stringMatching(
          /^errata: retention_days is not a field of this policy that can be changed\. Fields: .*retention_period_days.*\n$/,
        ),
      })
      expect(yield* refused("enabled=perhaps")).toEqual({
        code: 5,
        stderr: "errata: enabled must be true or false\n",
      })
      expect(yield* refused("retention_period_days=99999")).toMatchObject({
        code: 5,
        stderr: expect.stringMatching(
          /^errata: The server rejected the request: retention_period_days .+\n$/,
        ),
      })
      expect(yield* refused("enabled")).toMatchObject({ code: 2 })
    }),
  )
})

layer(TestServer.layer, { excludeTestServices: true })("errata users", (it) => {
  it.effect("lists, shows, changes and deactivates over the API", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      expect((yield* cli(["users", "list", "--json"])).stdout).toBe(`${yield* wire(server, "/users")}\n`)
      expect((yield* cli(["users", "get", "ADMIN@localhost", "--json"])).stdout).toBe(
        `${yield* wire(server, "/users/1")}\n`,
      )
      expect((yield* cli(["users", "get", "1"])).stdout).toMatch(/^Email {5}admin@localhost\nRole {6}admin$/m)
      expect((yield* cli(["users", "set-role", "1", "admin"])).code).toBe(0)
      // The last admin keeps the role.
      expect(yield* cli(["users", "set-role", "admin@localhost", "member"])).toMatchObject({
        code: 5,
        stderr: expect.stringContaining("role"),
      })
      expect((yield* cli(["users", "deactivate", "admin@localhost"])).code).toBe(5)
      expect((yield* cli(["users", "set-role", "1", "owner"])).code).toBe(2)
    }),
  )

  it.effect("uses the storage directly if an option names one, or no server is known", () =>
    Effect.gen(function* () {
      // Only a server creates an admin.
      const none = { code: 0, stdout: "", stderr: "No users.\n" }
      const dataDir = join(yield* Folder.temporary, "data")
      expect((yield* cli(["migrate", "--data-dir", dataDir])).code).toBe(0)
      expect(yield* cli(["users", "list", "--data-dir", dataDir])).toEqual(none)
      expect((yield* cli(["users", "list", "--data-dir", dataDir, "--json"])).stdout).toBe(
        '{"users":[],"next_cursor":null,"has_more":false}\n',
      )
      const env = { ERRATA_DATA_DIR: dataDir }
      expect((yield* cli(["users", "list"], { env })).stdout).toContain("admin@localhost")
      expect(yield* cli(["users", "list"], { env: { ...env, ERRATA_URL: "" } })).toEqual(none)
      const deactivated = yield* cli(["users", "deactivate", "admin@localhost", "--data-dir", dataDir])
      expect(deactivated).toMatchObject({ code: 1, stdout: "" })
    }),
  )
})
