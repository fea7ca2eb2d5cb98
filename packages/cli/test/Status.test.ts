import { readdirSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { healthChecks } from "@errata/core"
import { Effect, Redacted } from "effect"
import { freshDatabase } from "../../storage-postgres/test/support/database.js"
import * as Folder from "./faults/support/Folder.js"
import * as Instance from "./faults/support/Instance.js"
import * as Queue from "./faults/support/Queue.js"
import { until } from "./faults/support/Wait.js"
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

/** What the command says in JSON, and how it ends. */
const status = (...args: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const { code, stdout } = await Server.run(["status", "--json", ...args])
    return { code, ...(JSON.parse(stdout) as Status) }
  })

/** The same, asked again where it does not hold: on a busy machine a check may not be answered in time. */
const statusThat = (holds: (found: Status) => boolean, ...args: ReadonlyArray<string>) =>
  Effect.repeat(status(...args), { until: holds, times: 20 })

const isWell = ({ status }: Status) => status === "ok"

const failing = ({ checks }: Status) =>
  checks.filter(({ ok }) => !ok).map(({ code, name }) => `${name}: ${code}`)

const ready = (server: Server.Server) =>
  until("the server is ready", async () => (await fetch(`${server.url}/ready`)).status === 200)

const names = ["server", "up", "ready", ...healthChecks.map(({ name }) => name)]

describe("errata status", () => {
  it.scopedLive("finds a server on PostgreSQL well, says what is not, and warns of what may be", () =>
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

      const project = yield* Instance.firstProject(server)
      const created = yield* Effect.promise(() =>
        Instance.call(server, `/projects/${project.id}/webhooks`, {
          method: "POST",
          body: JSON.stringify({ url: "https://receiver.example", events: ["group.created"] }),
          headers: { "content-type": "application/json" },
        }),
      )
      expect(created.status).toBe(201)
      // A notification that was given up says nothing against the instance.
      yield* Queue.query(
        url,
        `INSERT INTO errata.deliveries (project_id, webhook_id, event, status, request_body, created_at, completed_at)
        SELECT project_id, id, 'group.created', 'failed', '{}', now(), now() FROM errata.webhooks`,
      )
      const warned = yield* statusThat(isWell, ...args)
      expect(warned).toMatchObject({ code: 0, status: "ok", warnings: [{ code: "deliveries_failed" }] })

      yield* Queue.query(
        url,
        `INSERT INTO errata.pending_batches
          (project_id, segment_id, payloads_count, bytes, attempts, claimed_until, ready_at)
        VALUES (1, 1, 1, 1, 1, now() + interval '1 hour', now() - interval '301 seconds')`,
      )
      const stalled = yield* status(...args)
      expect(stalled).toMatchObject({ code: 1, status: "failing", up: true })
      expect(failing(stalled)).toContain("jobs: jobs_stalled")
      const { code, stderr, stdout } = yield* Effect.promise(() => Server.run(["status", ...args]))
      expect(code).toBe(1)
      expect(stdout).toMatch(/^ok +database *$/m)
      expect(stdout).toMatch(/^FAILED +jobs +jobs_stalled: Errors or notifications have waited/m)
      expect(stdout).toMatch(/^warning +deliveries +deliveries_failed: /m)
      expect(stderr).toMatch(/^errata: \d of 14 checks failed\.\n$/)
    }),
  )

  it.scopedLive("reads an embedded database beside its server, and when that is stopped; makes none", () =>
    Effect.gen(function* () {
      const folder = yield* Folder.temporary
      const storage = ["--data-dir", join(folder, "data")]
      const server = yield* Server.start(storage)
      yield* ready(server)
      expect(yield* statusThat(isWell, ...storage, "--url", server.url)).toMatchObject({
        code: 0,
        status: "ok",
      })
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

      const nowhere = yield* status("--data-dir", join(folder, "nothing"), "--url", server.url)
      expect(failing(nowhere)).toContain("database: database_unreachable")
      expect(readdirSync(folder)).toEqual(["data"])
    }),
  )

  it.scopedLive("tells a stopped server from what is none, and asks nothing of the storage memory", () =>
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
        Effect.async<{ readonly port: number; readonly close: () => void }>((resume) => {
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

      const wrong = yield* Effect.promise(() => Server.run(["status", ...memory, "--url", "localhost:4000"]))
      expect([wrong.code, wrong.stdout]).toEqual([2, ""])
      const any = yield* Effect.promise(() => Server.run(["status", ...memory, "--port", "0"]))
      expect([any.code, any.stdout]).toEqual([2, ""])
    }),
  )
})
