/** Time limits and connection limits of the database, reached while a server runs. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { freshDatabase } from "../../../storage-postgres/test/support/database.js"
import * as Server from "../support/Server.js"
import * as Expect from "./support/Expect.js"
import * as Instance from "./support/Instance.js"
import * as Load from "./support/Load.js"
import * as Queue from "./support/Queue.js"
import { until } from "./support/Wait.js"

/** A server under load on a new database. */
const underLoad = (source: string, settings: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const name = new URL(Redacted.value(url)).pathname.slice(1)
    // At this level the log has every failure, not only the first one of an outage.
    const args = ["--database-url", Redacted.value(url), "--log-level", "debug"]
    const server = yield* Server.start(args, settings)
    const target = Instance.envelopeUrl(server, yield* Instance.firstProject(server))
    const load = yield* Load.start({ source, target: () => ({ url: target }), connections: 8 })
    const accepts = (what: string) =>
      Effect.suspend(() => {
        const before = load.accepted.size
        return until(`events are accepted ${what}`, () => load.accepted.size > before + 50)
      })
    const isRefused = Effect.suspend(() => {
      const before = load.statuses.get(503) ?? 0
      return until("events are refused", () => (load.statuses.get(503) ?? 0) > before + 5)
    })
    const nothingIsLost = Effect.gen(function* () {
      yield* until("the log says so", () =>
        /level=INFO message="The storage is available again"/.test(server.stderr()),
      )
      yield* load.stop
      yield* Expect.recorded(url)
      yield* Expect.eachOnce(server, url, [load])
      expect([...load.statuses.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([])
    })
    yield* accepts("at first")
    return { accepts, isRefused, name, nothingIsLost, server, url }
  })

/** Waits until the log has the warning with the database's message. */
const logged = (server: Server.Server, reason: string) =>
  until(`the log says: ${reason}`, () => {
    const log = server.stderr()
    return /level=WARN message="The storage is unavailable/.test(log) && log.includes(reason)
  })

describe("a server whose database", () => {
  it.live("cancels statements answers 503 and recovers", () =>
    Effect.gen(function* () {
      const test = yield* underLoad("d0002803", { ERRATA_DATABASE_ANSWER_TIMEOUT: "2 seconds" })
      yield* Queue.query(
        test.url,
        `CREATE FUNCTION errata.wait() RETURNS trigger LANGUAGE plpgsql AS
           $$ BEGIN PERFORM pg_sleep(60); RETURN NULL; END $$;
         CREATE TRIGGER wait BEFORE INSERT ON errata.segments EXECUTE FUNCTION errata.wait()`,
      )
      yield* test.isRefused
      yield* logged(test.server, "canceling statement due to statement timeout")
      yield* Queue.query(test.url, "DROP TRIGGER wait ON errata.segments")
      yield* test.accepts("when statements are fast again")
      yield* test.nothingIsLost
    }),
  )

  it.live("ends an idle transaction recovers", () =>
    Effect.gen(function* () {
      const test = yield* underLoad("d0002804", { ERRATA_DATABASE_ANSWER_TIMEOUT: "2 seconds" })
      const backends = async () =>
        Effect.runPromise(
          Queue.query<{ readonly pid: number; readonly isIdle: boolean }>(
            test.url,
            `SELECT pid, state LIKE 'idle in transaction%' AS "isIdle" FROM pg_stat_activity
             WHERE datname = current_database()`,
          ),
        )
      const { child } = test.server
      const reason = "terminating connection due to idle-in-transaction timeout"
      // Like a process that gets no CPU time. A backend that seems idle may still have a statement to read: the database ends
      // only the connection of one that waits. A process that writes to an ended connection before it reads gets EPIPE instead
      // of the database's reason.
      yield* until(`the log says: ${reason}`, async () => {
        child.kill("SIGSTOP")
        const caught = (await backends()).find(({ isIdle }) => isIdle)?.pid
        let found = caught === undefined ? undefined : { pid: caught, isIdle: true }
        while (found?.isIdle) found = (await backends()).find(({ pid }) => pid === caught)
        child.kill("SIGCONT")
        if (caught === undefined || found !== undefined) return false
        await Effect.runPromise(test.accepts("when it runs again"))
        return test.server.stderr().includes(reason)
      })
      yield* logged(test.server, reason)
      yield* test.nothingIsLost
    }),
  )

  it.live("has no connection left answers 503 and recovers", () =>
    Effect.gen(function* () {
      const test = yield* underLoad("d0002805")
      const administration = new URL(Redacted.value(test.url))
      administration.pathname = "/postgres"
      const limit = (connections: number) =>
        Queue.query(
          Redacted.make(administration.href),
          `ALTER DATABASE ${test.name} CONNECTION LIMIT ${connections}`,
        )
      yield* limit(0)
      yield* Queue.endConnections(Redacted.make(administration.href), test.name)
      yield* test.isRefused
      yield* logged(test.server, "too many connections for database")
      expect(yield* Effect.promise(() => Instance.call(test.server, "/projects"))).toMatchObject({
        status: 503,
      })
      const listed = yield* Effect.promise(() =>
        Server.run(["users", "list", "--database-url", Redacted.value(test.url)]),
      )
      expect(listed).toMatchObject({
        code: 1,
        stderr: `errata: The database has no free connection: too many connections for database "${test.name}"\n`,
      })
      yield* limit(-1)
      yield* test.accepts("when there are connections again")
      yield* test.nothingIsLost
    }),
  )
})
