import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import pg from "pg"
import { freshDatabase } from "../../../storage-postgres/test/support/database.js"
import * as Server from "../support/Server.js"
import * as Http from "./support/Http.js"
import * as Proxy from "./support/Proxy.js"
import * as Queue from "./support/Queue.js"
import { until } from "./support/Wait.js"

type Address = Pick<Server.Server, "url">

/** Holds the migration lock like another node that migrates. */
const migrating = (url: Redacted.Redacted) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new pg.Client({ connectionString: Redacted.value(url) })
      await client.connect()
      await client.query("SELECT pg_advisory_lock(hashtextextended('errata.setup', 0))")
      let isOver = false
      const finish = Effect.promise(async () => {
        if (!isOver) await client.end()
        isOver = true
      })
      return { finish }
    }),
    ({ finish }) => finish,
  )

const answerOf = async (server: Address) => {
  const { body, status } = await Http.send(`${server.url}/ready`)
  return `${status} ${body}`
}

const becomes = (server: Address, answer: "200 ready" | "503 not ready") =>
  until(answer, async () => (await answerOf(server)) === answer)

/** Waits until the log contains the reason. Only requests evaluate it, and the first evaluation may find another one. */
const tells = (server: Server.Server, code: string) =>
  until(`the log says ${code}`, async () => {
    await answerOf(server)
    return server.stderr().includes(`Not ready: ${code}`)
  })

const isUp = (server: Address) =>
  Effect.promise(async () => expect((await Http.send(`${server.url}/up`)).body).toBe("up"))

const readOnly = (url: Redacted.Redacted, value: "on" | "off") =>
  Queue.query(
    url,
    // Applies to new sessions only.
    `BEGIN READ WRITE;
    ALTER DATABASE "${new URL(Redacted.value(url)).pathname.slice(1)}" SET default_transaction_read_only = ${value};
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'errata%';
    COMMIT`,
  )

describe("the readiness of a server", () => {
  it.live("ends while its database refuses connections or hangs", () =>
    Effect.gen(function* () {
      const direct = yield* freshDatabase
      const proxy = yield* Proxy.make(direct)
      const server = yield* Server.start(["--database-url", Redacted.value(proxy.url)])
      yield* becomes(server, "200 ready")

      yield* proxy.cut
      yield* becomes(server, "503 not ready")
      yield* tells(server, "database_unreachable")
      yield* isUp(server)
      yield* proxy.open
      yield* becomes(server, "200 ready")

      // All responses, including `/up`, arrive within the test's time limit.
      yield* proxy.silence
      yield* becomes(server, "503 not ready")
      yield* isUp(server)
      yield* proxy.open
      yield* becomes(server, "200 ready")
    }),
  )

  it.live("ends while the database is read-only", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const server = yield* Server.start(["--database-url", Redacted.value(url)])
      yield* becomes(server, "200 ready")
      yield* readOnly(url, "on")
      yield* becomes(server, "503 not ready")
      yield* tells(server, "storage_unwritable")
      yield* readOnly(url, "off")
      yield* becomes(server, "200 ready")
    }),
  )

  it.live("ends if the schema is not up to date", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const server = yield* Server.start(["--database-url", Redacted.value(url)])
      yield* becomes(server, "200 ready")
      yield* Queue.query(url, "UPDATE errata.migrations SET migration_id = -migration_id")
      yield* becomes(server, "503 not ready")
      yield* tells(server, "migrations_pending")
      yield* Queue.query(url, "UPDATE errata.migrations SET migration_id = -migration_id")
      yield* becomes(server, "200 ready")
    }),
  )

  it.live("begins when the schema is up to date; until then only /up succeeds", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const other = yield* migrating(url)
      const running = yield* Server.spawnScoped([
        "serve",
        "--port",
        "0",
        "--database-url",
        Redacted.value(url),
      ])
      const bound = /Port bound.* port=(\d+)/
      yield* until("it listens", () => bound.test(running.output()))
      const server = { url: `http://127.0.0.1:${bound.exec(running.output())![1]}` }
      expect((yield* Effect.promise(() => Http.send(`${server.url}/up`))).body).toBe("up")
      expect(yield* Effect.promise(() => answerOf(server))).toBe("503 not ready")
      expect(running.output()).not.toContain("Errata is listening")
      yield* other.finish
      yield* becomes(server, "200 ready")
      yield* until("it says so", () => running.output().includes("Errata is listening"))
    }),
  )

  it.live("of a web node depends on the workers of other nodes", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const args = ["--database-url", Redacted.value(url)]
      const web = yield* Server.start(["--roles", "web", ...args])
      expect(yield* Effect.promise(() => answerOf(web))).toBe("503 not ready")
      yield* tells(web, "dispatcher_stale, worker_stale")
      yield* Server.startWorker(args)
      yield* becomes(web, "200 ready")
    }),
  )

  it.live("ends when the server stops, while requests continue", () =>
    Effect.gen(function* () {
      const server = yield* Server.start(["--storage", "memory"], { ERRATA_DRAIN_TIME: "5 seconds" })
      yield* becomes(server, "200 ready")
      server.child.kill("SIGTERM")
      yield* becomes(server, "503 not ready")
      // It still accepts connections and responds.
      yield* isUp(server)
      expect((yield* Effect.promise(() => Http.send(`${server.url}/api/service/v1/projects`))).status).toBe(
        401,
      )
      expect(yield* Effect.promise(() => server.closed)).toBe(0)
    }),
  )
})
