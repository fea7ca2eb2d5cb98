import { readdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { healthChecks } from "@errata/core/internal"
import { Effect, Redacted } from "effect"
import { freshDatabase } from "../../storage-postgres/test/support/database.js"
import * as Cli from "./api/support/Cli.js"
import * as Folder from "./faults/support/Folder.js"
import * as Instance from "./faults/support/Instance.js"
import * as Queue from "./faults/support/Queue.js"
import { until } from "./faults/support/Wait.js"
import * as Rest from "./support/Rest.js"
import * as Server from "./support/Server.js"

interface Status {
  readonly status: string
  readonly up: boolean
  readonly ready: boolean
  readonly checks: ReadonlyArray<{
    readonly name: string
    readonly ok: boolean
    readonly code: string | null
  }>
  readonly warnings: ReadonlyArray<{ readonly code: string }>
}

/** Runs `errata status --json`. Returns its exit code and document. */
const status = (...args: ReadonlyArray<string>) =>
  Effect.map(Cli.run(["status", "--json", ...args]), ({ code, stdout }) => ({
    code,
    ...(JSON.parse(stdout) as Status),
  }))

/** Repeats the command until the condition holds: on a busy machine a check may time out. */
const statusThat = (holds: (found: Status) => boolean, ...args: ReadonlyArray<string>) =>
  Effect.repeat(status(...args), { until: holds, times: 20 })

/** Repeats a command of this kind in the same way. */
const outcomeThat = (holds: (outcome: Cli.Outcome) => boolean, ...command: Parameters<typeof Cli.run>) =>
  Effect.repeat(Cli.run(...command), { until: holds, times: 20 })

const succeeds = ({ code }: { readonly code: number | null }) => code === 0

const isWell = ({ status }: Status) => status === "ok"

const failing = ({ checks }: Status) =>
  checks.filter(({ ok }) => !ok).map(({ code, name }) => `${name}: ${code}`)

const ready = (server: Server.Server) =>
  until("the server is ready", async () => (await fetch(`${server.url}/ready`)).status === 200)

/** Adds a webhook, whose secret the instance encrypts. */
const addWebhook = Effect.fnUntraced(function* (server: Server.Server) {
  const project = yield* Instance.firstProject(server)
  const created = yield* Effect.promise(() =>
    Instance.call(server, `/projects/${project.id}/webhooks`, {
      method: "POST",
      body: JSON.stringify({ url: "https://receiver.example", events: ["group.created"] }),
      headers: { "content-type": "application/json" },
    }),
  )
  expect(created.status).toBe(201)
})

/** A system user without access to the files of others. */
const nobody = { uid: 65534, gid: 65534 }

const names = ["server", "up", "ready", ...healthChecks.map(({ name }) => name)]

describe("errata status", () => {
  it.live("reports a healthy server on PostgreSQL, failed checks and warnings", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const database = ["--database-url", Redacted.value(url)]
      const server = yield* Server.start(database)
      const args = [...database, "--url", server.url]
      yield* ready(server)
      expect(yield* statusThat(isWell, ...args)).toEqual({
        code: 0,
        status: "ok",
        up: true,
        ready: true,
        checks: names.map((name) => ({ name, ok: true, code: null })),
        warnings: [],
      })

      yield* addWebhook(server)
      // A failed delivery does not make the instance unhealthy.
      yield* Queue.query(
        url,
        `INSERT INTO errata.deliveries (project_id, target_id, event, status, request_body, created_at, completed_at)
        SELECT project_id, id, 'group.created', 'failed', '{}', now(), now() FROM errata.targets`,
      )
      const warned = yield* statusThat(isWell, ...args)
      expect(warned).toMatchObject({ code: 0, status: "ok", warnings: [{ code: "deliveries_failed" }] })

      yield* Queue.query(
        url,
        `INSERT INTO errata.pending_batches
          (project_id, segment_id, payloads_count, bytes, attempts, claimed_until, ready_at)
        VALUES (1, 1, 1, 1, 1, now() + interval '1 hour', now() - interval '301 seconds')`,
      )
      const isStalled = (found: Status) => found.up && failing(found).includes("jobs: jobs_stalled")
      const stalled = yield* statusThat(isStalled, ...args)
      expect(stalled).toMatchObject({ code: 1, status: "failing", up: true })
      expect(failing(stalled)).toContain("jobs: jobs_stalled")
      const { code, stderr, stdout } = yield* outcomeThat(
        ({ stdout }) => stdout.includes("jobs_stalled"),
        ["status", ...args],
      )
      expect(code).toBe(1)
      expect(stdout).toMatch(/^ok +database *$/m)
      expect(stdout).toMatch(/^FAILED +jobs +jobs_stalled: Errors or notifications have waited/m)
      expect(stdout).toMatch(/^warning +deliveries +deliveries_failed: /m)
      expect(stderr).toMatch(/^errata: \d of 14 checks failed\.\n$/)
    }),
  )

  it.live("warns of a low disk while the intake accepts events", (context) =>
    Effect.gen(function* () {
      const disk = yield* Folder.smallDisk(64)
      if (disk === null) return context.skip("A file system of its own could not be mounted: that takes root")
      // Leaves less than half of it free, but more than the required minimum.
      writeFileSync(join(disk, "data"), Buffer.alloc(40 * 1024 * 1024))
      const database = ["--database-url", Redacted.value(yield* freshDatabase)]
      const server = yield* Server.start(database, {
        ERRATA_DATABASE_DISK_PATH: disk,
        ERRATA_POLICIES_INGEST_PROTECTION_DISK_PROTECTION_ENABLED: "true",
        ERRATA_POLICIES_INGEST_PROTECTION_MINIMUM_FREE_DISK_SPACE_MB: "8",
        ERRATA_METRICS_ENABLED: "true",
      })
      yield* ready(server)
      const reach = ["--url", server.url, "--api-key", server.apiKey]
      expect(yield* statusThat(isWell, ...database, ...reach)).toMatchObject({
        code: 0,
        status: "ok",
        warnings: [{ code: "disk_low" }],
      })
      const { stdout } = yield* outcomeThat(succeeds, ["status", ...database, ...reach])
      expect(stdout).toMatch(/^warning +disk_space +disk_low: /m)
      expect(server.output()).toContain("The database's disk is low.")
      const metrics = yield* Effect.promise(async () => (await fetch(`${server.url}/metrics`)).text())
      expect(metrics).toContain("\nerrata_disk_low 1\n")
      const { id, token } = yield* Instance.firstProject(server)
      const sent = yield* Rest.send(`${server.url}/api/${id}/store/?sentry_key=${token}`, {
        method: "POST",
        body: JSON.stringify({ message: "accepted" }),
      })
      expect(sent.status).toBe(200)
    }),
  )

  it.live("reads an embedded database with or without its server, and creates none", () =>
    Effect.gen(function* () {
      const folder = yield* Folder.temporary
      const storage = ["--data-dir", join(folder, "data")]
      const server = yield* Server.start(storage)
      yield* ready(server)
      expect(yield* statusThat(isWell, ...storage, "--url", server.url)).toMatchObject({
        code: 0,
        status: "ok",
      })
      // The data folder contains the address: the port is not the default.
      expect(yield* statusThat(isWell, ...storage)).toMatchObject({ code: 0, status: "ok" })
      yield* Effect.promise(() => server.end("SIGTERM"))

      const isRead = (found: Status) => found.checks.some(({ name, ok }) => name === "database" && ok)
      const stopped = yield* statusThat(isRead, ...storage, "--url", server.url)
      expect(stopped).toMatchObject({ code: 1, status: "stopped", up: false, ready: false })
      expect(failing(stopped).slice(0, 3)).toEqual([
        "server: server_stopped",
        "up: server_stopped",
        "ready: server_stopped",
      ])
      expect(stopped.checks.find(({ name }) => name === "database")).toMatchObject({ ok: true })

      const nothing = join(folder, "nothing")
      const nowhere = yield* Cli.run(["status", "--data-dir", nothing, "--url", server.url])
      expect(nowhere).toEqual({
        code: 1,
        stdout: expect.stringMatching(/^STATE +CHECK\nFAILED +server \(and 2 more\) +server_stopped: .+\n$/),
        stderr:
          `errata: The storage was not checked: The current user cannot read a database in ${nothing}. ` +
          "Run errata status --local as the server's user, with the server's settings.\n" +
          "errata: 3 of 3 checks failed.\n",
      })
      expect(readdirSync(folder)).toEqual(["data"])
    }),
  )

  // Only root can run a command as another user.
  it.live.skipIf(process.getuid?.() !== 0)(
    "queries the server first, for an admin and for another system user",
    () =>
      Effect.gen(function* () {
        const folder = yield* Folder.temporary
        const dataDir = join(folder, "data")
        const server = yield* Server.start(["--data-dir", dataDir])
        yield* ready(server)
        const args = ["--data-dir", dataDir, "--url", server.url]
        // Without the API key, the server's environment and a readable folder.
        const stranger = (env: Readonly<Record<string, string>>, ...more: ReadonlyArray<string>) =>
          Effect.promise(() =>
            Server.run(["status", ...args, ...more], { ERRATA_ENCRYPTION_KEY: "", ...env }, nobody),
          )
        const strangerWell = (...given: Parameters<typeof stranger>) =>
          Effect.repeat(stranger(...given), { until: succeeds, times: 20 })

        const admin = yield* strangerWell({ ERRATA_API_KEY: server.apiKey }, "--json")
        expect(admin).toMatchObject({ code: 0, stderr: "" })
        expect(JSON.parse(admin.stdout)).toEqual({
          status: "ok",
          up: true,
          ready: true,
          checks: names.map((name) => ({ name, ok: true, code: null })),
          warnings: [],
        })

        const notChecked = `errata: The storage was not checked: The current user cannot read a database in ${dataDir}. `
        const hint =
          "To get all checks from the server, set ERRATA_API_KEY to an admin's key and run errata status.\n"
        const visitor = yield* strangerWell({})
        expect(visitor).toMatchObject({ code: 0, stderr: notChecked + hint })
        expect(visitor.stdout).toMatch(/^STATE +CHECK\nok +server +(\S+)\nok +up\nok +ready\n$/)
        expect(visitor.stdout).toContain(server.url)
        const listed = yield* Effect.promise(() =>
          Server.run(["users", "list", "--data-dir", dataDir], {}, nobody),
        )
        expect(listed).toMatchObject({
          code: 1,
          stderr: expect.stringContaining(`The current user cannot read the folder ${dataDir}. `),
        })
        const local = yield* strangerWell({ ERRATA_API_KEY: server.apiKey }, "--local")
        expect(local).toMatchObject({ code: 0, stderr: notChecked + hint })
        const refused = yield* strangerWell({ ERRATA_API_KEY: "errata_0000000000000000" })
        expect(refused).toMatchObject({
          code: 0,
          stderr: notChecked.replace("The storage", "The server rejects the API key. The storage") + hint,
        })

        yield* Effect.promise(() => server.end("SIGTERM"))
        const stopped = yield* stranger({ ERRATA_API_KEY: server.apiKey })
        expect(stopped.code).toBe(1)
        expect(stopped.stdout.trim().split("\n")).toHaveLength(2)
        expect(stopped.stderr.split("\n")).toHaveLength(3)
        expect(stopped.stderr).toContain(
          "Run errata status --local as the server's user, with the server's settings.",
        )
      }),
  )

  it.live("skips the key check without a key, and reports an unreachable database briefly", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const database = ["--database-url", Redacted.value(url)]
      const server = yield* Server.start(database)
      yield* ready(server)
      yield* addWebhook(server)
      const keyless = yield* outcomeThat(succeeds, ["status", ...database, "--url", server.url], {
        ERRATA_ENCRYPTION_KEY: "",
      })
      expect(keyless.code).toBe(0)
      expect(keyless.stdout).not.toContain("encryption_key")
      expect(keyless.stderr).toContain(
        "The encryption key was not checked: ERRATA_ENCRYPTION_KEY is not set here.",
      )

      const away = "postgres://errata@127.0.0.1:1/errata"
      const { stdout } = yield* Cli.run(["status", "--database-url", away, "--url", server.url])
      expect(stdout.match(/database_unreachable/g)).toHaveLength(1)
      expect(stdout).toMatch(/^FAILED +database \(and \d+ more\) +database_unreachable: /m)
    }),
  )

  it.live("distinguishes a stopped server from other programs, and skips storage checks for memory", () =>
    Effect.gen(function* () {
      const memory = ["--storage", "memory"]
      const server = yield* Server.start(memory)
      yield* ready(server)
      const well = yield* statusThat(isWell, ...memory, "--url", server.url)
      expect(well).toMatchObject({
        code: 0,
        status: "ok",
        checks: names.slice(0, 3).map((name) => ({ name })),
      })

      const other = yield* Effect.acquireRelease(
        Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
          const server = createServer((_, response) => response.end("hello"))
          server.listen(0, "127.0.0.1", () => {
            const { port } = server.address() as { readonly port: number }
            resume(Effect.succeed({ port, close: () => server.close() }))
          })
        }),
        ({ close }) => Effect.sync(close),
      )
      const { port } = other
      const foreign = yield* status(...memory, "--port", String(port))
      expect(foreign).toMatchObject({ code: 1, status: "failing", up: false, ready: false })
      expect(failing(foreign)).toEqual(["up: up_failing", "ready: ready_failing"])
      other.close()
      expect(yield* status(...memory, "--port", String(port))).toMatchObject({ code: 1, status: "stopped" })

      const wrong = yield* Cli.run(["status", ...memory, "--url", "localhost:4000"])
      expect([wrong.code, wrong.stdout]).toEqual([2, ""])
      const any = yield* Cli.run(["status", ...memory, "--port", "0"])
      expect([any.code, any.stdout]).toEqual([2, ""])
    }),
  )
})
