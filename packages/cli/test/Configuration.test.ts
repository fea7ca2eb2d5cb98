/** Settings from options, environment and file: how they reach a server and how `errata config` shows them. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { configurationPage } from "../src/ConfigurationPage.js"
import { listedSettings } from "../src/InstanceSettings.js"
import { serverSettings } from "../src/ServerSettings.js"
import * as Cli from "./api/support/Cli.js"
import * as Events from "./faults/support/Events.js"
import * as Folder from "./faults/support/Folder.js"
import * as Http from "./faults/support/Http.js"
import * as Instance from "./faults/support/Instance.js"
import { until } from "./faults/support/Wait.js"
import * as Server from "./support/Server.js"

type Env = Readonly<Record<string, string>>

/** Writes a configuration file into its own folder; a string is written as it is. */
const file = (content: unknown) =>
  Effect.map(Folder.temporary, (folder) => {
    const path = join(folder, "errata.json")
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content))
    return path
  })

interface Told {
  readonly setting: string
  readonly value: string | null
  readonly source: string
  readonly given_by: string | null
}

const told = (args: ReadonlyArray<string> = [], env: Env = {}) =>
  Effect.map(Cli.run(["config", "--json", ...args], env), ({ code, stderr, stdout }) => {
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    const { settings } = JSON.parse(stdout) as { readonly settings: ReadonlyArray<Told> }
    return Object.fromEntries(
      settings.map(({ given_by, setting, source, value }) => [setting, { value, source, given_by }]),
    )
  })

const refused = (args: ReadonlyArray<string>, env: Env = {}) =>
  Effect.map(Cli.run(args, env), ({ code, stderr, stdout }) => {
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toMatch(/^errata: .+\n$/)
    return stderr.slice("errata: ".length, -1)
  })

const taggedEvent = (id: string) =>
  Events.envelopeOf(id, { event_id: id, message: "Four tags", tags: { a: "1", b: "2", c: "3", d: "4" } })

describe("the documentation of the configuration", () => {
  it("is what npm run docs:configuration writes", () => {
    const page = new URL("../../../docs/configuration.md", import.meta.url)
    expect(readFileSync(page, "utf8")).toBe(configurationPage())
  })

  // Each description says who changes the setting, and when.
  it("lists at most 90 settings", () => {
    expect(serverSettings.length + listedSettings.length).toBeLessThanOrEqual(90)
  })
})

describe("settings of a running server", () => {
  it.live("apply to the intake, the recorder's thread and local commands", () =>
    Effect.gen(function* () {
      const dataDir = join(yield* Folder.temporary, "data")
      const env = {
        ERRATA_INGEST_LIMITS_MAX_TAGS: "2",
        ERRATA_INGEST_LIMITS_MAX_EVENT_BYTES: "4 KiB",
        ERRATA_DEAD_LETTERS_PAYLOADS: "7",
        ERRATA_DEAD_LETTERS_BYTES: "3 MiB",
        ERRATA_DEAD_LETTERS_MAX_AGE: "5 days",
      }
      const large = (index: number) => {
        const id = Events.eventId("c0000001", index)
        return Events.envelopeOf(id, { event_id: id, message: "x".repeat(5000) })
      }
      // Events that were accepted under other limits and are still queued.
      const before = yield* Server.start(["--data-dir", dataDir, "--roles", "web"])
      const project = yield* Instance.firstProject(before)
      const send = (server: Server.Server, body: string) =>
        Effect.promise(() => Http.send(Instance.envelopeUrl(server, project), { body }))
      expect((yield* send(before, large(0))).status).toBe(200)
      expect(yield* Effect.promise(() => before.end("SIGTERM"))).toBe(0)

      const server = yield* Server.start(["--data-dir", dataDir], env)
      const id = Events.eventId("c0000001", 1)
      expect((yield* send(server, taggedEvent(id))).status).toBe(200)
      yield* until("it is recorded", async () => (await Instance.findReport(server, project, id)) !== null)
      expect(yield* Effect.promise(() => Instance.findReport(server, project, id))).toMatchObject({
        tags: [
          { key: "a", value: "1" },
          { key: "b", value: "2" },
        ],
        ingest_truncations: [expect.stringContaining("tags")],
      })

      expect((yield* send(server, large(2))).status).toBe(413)
      yield* until("it is a dead letter", () =>
        server.stderr().includes("A payload was moved to the dead letters"),
      )
      const { stderr, stdout } = yield* Cli.run(["dead-letters", "list", "--data-dir", dataDir], env)
      expect(stdout).toContain("An item of type event is too large")
      expect(stderr).toContain("Kept for 5 days, up to 7 dead letters and 3.0 MiB per project.")
    }),
  )

  it.live("are read from a file, also with storage in memory", () =>
    Effect.gen(function* () {
      const path = yield* file({
        storage: "memory",
        dsnPrefixes: ["/sentry"],
        corsOrigins: ["https://app.example.com"],
        admin: { email: "owner@example.com" },
        log: { level: "none" },
        ingestLimits: { maxTags: 1 },
      })
      const server = yield* Server.start(["--config", path])
      expect(server.stderr()).toBe("")
      expect(server.stdout()).toContain("Created the admin owner@example.com.")
      const project = yield* Instance.firstProject(server)
      const id = Events.eventId("c0000002", 1)
      const url = Instance.envelopeUrl(server, project).replace("/api/", "/sentry/api/")
      const { status } = yield* Effect.promise(() => Http.send(url, { body: taggedEvent(id) }))
      expect(status).toBe(200)
      yield* until("it is recorded", async () => (await Instance.findReport(server, project, id)) !== null)
      expect(yield* Effect.promise(() => Instance.findReport(server, project, id))).toMatchObject({
        tags: [{ key: "a", value: "1" }],
      })
      const answer = yield* Effect.promise(() =>
        fetch(`${server.url}/api/service/v1/projects`, {
          headers: { authorization: `Bearer ${server.apiKey}`, origin: "https://app.example.com" },
        }),
      )
      expect(answer.headers.get("access-control-allow-origin")).toBe("https://app.example.com")

      const branded = yield* file({ serviceName: "shop", baseUrl: "http://errors.example.com/" })
      const other = yield* Server.start(["--storage", "memory"], { ERRATA_CONFIG: branded })
      expect(other.url).toBe("http://errors.example.com")
    }),
  )

  it.live("logs a warning for unknown variables", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* Effect.promise(() =>
        Server.run(["config"], {
          ERRATA_RECORDER_WORKER: "1",
          ERRATA_PROT: "4001",
          ERRATA_DATABASE_URL: "postgres://a:hunter2@b/c",
          ERRATA_TEAPOT: "blue",
        }),
      )
      expect(code).toBe(0)
      expect(stderr.match(/level=WARN/g)).toHaveLength(4)
      expect(stderr).toMatch(/variable=ERRATA_RECORDER_WORKER similar=ERRATA_RECORDER_WORKERS$/m)
      expect(stderr).toMatch(/variable=ERRATA_PROT similar=ERRATA_PORT$/m)
      expect(stderr).toMatch(/variable=ERRATA_DATABASE_URL similar=DATABASE_URL$/m)
      expect(stderr).toMatch(/variable=ERRATA_TEAPOT$/m)
      expect(stderr).not.toContain("hunter2")
    }),
  )
})

describe("errata config", () => {
  it.live("reports each value with its source: option, environment, file, default", () =>
    Effect.gen(function* () {
      const path = yield* file({
        host: "::1",
        port: 1,
        roles: ["web", "worker"],
        "log.level": "error",
        recorder: { workers: 11, batchBytes: "1 MiB", eventPatience: "PT2S" },
        webhooks: { attemptTimeout: 30000 },
        policies: { errorRetention: { enabled: true } },
      })
      const env = { ERRATA_CONFIG: path, ERRATA_PORT: "2", ERRATA_RECORDER_WORKERS: "12" }
      const settings = yield* told(["--port", "3", "--log-level=debug"], env)
      expect(settings).toMatchObject({
        host: { value: "::1", source: "file", given_by: path },
        port: { value: "3", source: "option", given_by: "--port" },
        roles: { value: "web,worker", source: "file", given_by: path },
        storage: { value: "embedded", source: "default", given_by: null },
        baseUrl: { value: null, source: "default", given_by: null },
        "log.level": { value: "debug", source: "option", given_by: "--log-level" },
        "recorder.workers": { value: "12", source: "environment", given_by: "ERRATA_RECORDER_WORKERS" },
        "recorder.batchBytes": { value: "1 MiB", source: "file", given_by: path },
        "intake.maxWaitingBytes": { value: "32 MiB", source: "default", given_by: null },
        "webhooks.attemptTimeout": { value: "30 seconds", source: "file", given_by: path },
        "recorder.eventPatience": { value: "2 seconds", source: "file", given_by: path },
        "policies.errorRetention.enabled": { value: "true", source: "file", given_by: path },
      })
      expect((yield* told([], env)).port).toEqual({
        value: "2",
        source: "environment",
        given_by: "ERRATA_PORT",
      })
      const { stdout } = yield* Cli.run(["config", "--port", "3"], env)
      expect(stdout).toMatch(/^port +3 +--port$/m)
      expect(stdout).toMatch(/^recorder\.workers +12 +ERRATA_RECORDER_WORKERS$/m)
      expect(stdout).toContain(`1 MiB `)
      expect(stdout).toMatch(/^deadLetters\.payloads +1000 +default$/m)
    }),
  )

  it.effect("shows the storage of a server, also if an option implies it", () =>
    Effect.gen(function* () {
      const env = { ERRATA_STORAGE: "memory" }
      expect((yield* told([], env)).storage).toEqual({
        value: "memory",
        source: "environment",
        given_by: "ERRATA_STORAGE",
      })
      expect(yield* told(["--data-dir", "d"], env)).toMatchObject({
        storage: { value: "embedded", source: "default", given_by: null },
        dataDir: { value: "d", source: "option", given_by: "--data-dir" },
      })
    }),
  )

  it.live("prefers the file that the option names, and prints no secrets", () =>
    Effect.gen(function* () {
      const other = yield* file({ port: 1 })
      const path = yield* file({
        databaseUrl: "postgres://errata:hunter2@db/errata",
        admin: { apiKey: "errata_fedcba9876543210fedcba9876543210" },
      })
      const env = { ERRATA_CONFIG: other, ERRATA_ADMIN_API_KEY: "" }
      const settings = yield* told(["--config", path], env)
      expect(settings).toMatchObject({
        port: { value: "4000", source: "default" },
        storage: { value: "postgres" },
        databaseUrl: { value: null, source: "file", given_by: path },
        "admin.apiKey": { value: null, source: "file", given_by: path },
      })
      const { stdout } = yield* Cli.run(["config", `--config=${path}`], env)
      expect(stdout).toMatch(/^databaseUrl +\(secret\)/m)
      expect(JSON.stringify(settings) + stdout).not.toMatch(/hunter2|fedcba/)
    }),
  )
})

describe("an invalid configuration file", () => {
  it.live("is rejected with its path and the error", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [content: unknown, complaint: (path: string) => string]> = [
        [{ port: 70000 }, (path) => `port in ${path} must be a port from 0 to 65535, not "70000"`],
        [
          { port: null },
          (path) => `port must be a string, a number, true, false or a list of strings in ${path}`,
        ],
        [
          { webhooks: { attemptTimeout: "10 millis" } },
          (path) =>
            `webhooks.attemptTimeout in ${path} must be a duration from 100 millis to 1 minute, not "10 millis"`,
        ],
        [
          { recorder: { worker: 5 } },
          (path) => `Unknown setting recorder.worker in ${path} (did you mean recorder.workers?)`,
        ],
        [{ maxTags: 5 }, (path) => `Unknown setting maxTags in ${path} (did you mean ingestLimits.maxTags?)`],
        [
          { databaseURL: "postgres://a:hunter2@b/c" },
          (path) => `Unknown setting databaseURL in ${path} (did you mean databaseUrl?)`,
        ],
        [{ log: { level: "info" }, "log.level": "debug" }, (path) => `log.level occurs twice in ${path}`],
        [[1], (path) => `The configuration file ${path} must contain one JSON object, e.g. { "port": 4000 }`],
        [
          `{\n  "port": 1,\n  "databaseUrl": "postgres://a:hunter2@b/c"\n  "host": 1\n}`,
          (path) => `The configuration file ${path} is not valid JSON: see line 4`,
        ],
      ]
      for (const [content, complaint] of cases) {
        const path = yield* file(content)
        const said = yield* refused(["serve", "--config", path])
        expect(said).toBe(complaint(path))
        expect(said).not.toContain("hunter2")
      }
      expect(yield* refused(["dead-letters", "list"], { ERRATA_CONFIG: "/nowhere/errata.json" })).toBe(
        "The configuration file /nowhere/errata.json cannot be read: no such file",
      )
      expect(yield* refused(["config", "--config", ""])).toBe("--config must be the path of a file")
    }),
  )
})
