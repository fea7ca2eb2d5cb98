import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { freshDatabase } from "../../../storage-postgres/test/support/database.js"
import * as Server from "../support/Server.js"
import * as Events from "./support/Events.js"
import * as Expect from "./support/Expect.js"
import * as Folder from "./support/Folder.js"
import * as Http from "./support/Http.js"
import * as Instance from "./support/Instance.js"
import * as Load from "./support/Load.js"
import * as Proxy from "./support/Proxy.js"
import * as Queue from "./support/Queue.js"
import { until } from "./support/Wait.js"

/** Shorter than the default, so that tests need not wait long. */
const impatient = { ERRATA_DATABASE_ANSWER_TIMEOUT: "5 seconds" }

/** A server that reaches its database through a proxy, under load. */
const loaded = Effect.fnUntraced(function* (source: string) {
  const direct = yield* freshDatabase
  const proxy = yield* Proxy.make(direct)
  const server = yield* Server.start(["--database-url", Redacted.value(proxy.url)], impatient)
  const project = yield* Instance.firstProject(server)
  const url = Instance.envelopeUrl(server, project)
  const load = yield* Load.start({ target: () => ({ url }), source, connections: 8 })
  yield* underWay(load)
  return { direct, proxy, server, project, load }
})

const underWay = (load: Load.Load) => {
  const before = load.accepted.size
  return until("events are accepted", () => load.accepted.size > before + 50)
}

/** After this many responses with 503, all earlier requests are answered. */
const refused = (load: Load.Load) => {
  const before = load.statuses.get(503) ?? 0
  return until("events are refused", () => (load.statuses.get(503) ?? 0) > before + 16)
}

/** A single event of an outage. It may be stored although it was answered 503, if its statement arrives later. */
const probe = {
  id: Events.eventId("bad00000", 1),
  accepted: new Set<string>(),
  sent: new Set([Events.eventId("bad00000", 1)]),
}

/** Checks the responses during a database outage. */
const expectUnavailable = (server: Server.Server, project: Instance.Project) =>
  Effect.gen(function* () {
    const up = yield* Effect.promise(() => Http.send(`${server.url}/up`))
    expect(up.status).toBe(200)

    // Concurrent, since each one times out if the database hangs.
    const [intake, rest] = yield* Effect.promise(() =>
      Promise.all([
        Http.send(Instance.envelopeUrl(server, project), {
          body: Events.envelope(probe.id, 1),
        }),
        Instance.call(server, `/projects/${project.id}/groups`),
      ]),
    )
    expect(intake.status).toBe(503)
    expect(Number(intake.headers["retry-after"])).toBeGreaterThan(0)
    expect(JSON.parse(intake.body)).toMatchObject({ detail: expect.any(String) })

    expect(rest.status).toBe(503)
    expect(rest.headers["content-type"]).toBe("application/problem+json")
    expect(JSON.parse(rest.body)).toMatchObject({ title: "Service Unavailable", status: 503 })
  })

const expectOnlyRefusals = (load: Load.Load) =>
  expect([...load.statuses.keys()].sort()).toEqual(load.statuses.has(503) ? [200, 503] : [200])

describe("a database that is unavailable for a while", () => {
  it.live("PostgreSQL that refuses connections", () =>
    Effect.gen(function* () {
      const { direct, load, project, proxy, server } = yield* loaded("b0000001")
      for (let outages = 0; outages < 2; outages++) {
        yield* proxy.cut
        yield* refused(load)
        yield* expectUnavailable(server, project)
        yield* proxy.open
        yield* underWay(load)
      }
      yield* load.stop
      yield* Expect.recorded(direct)
      yield* Expect.eachOnce(server, direct, [load, probe])
      expectOnlyRefusals(load)
      expect(yield* Effect.promise(() => server.end("SIGTERM"))).toBe(0)
    }),
  )

  it.live("PostgreSQL that accepts connections and never answers", () =>
    Effect.gen(function* () {
      const { direct, load, project, proxy, server } = yield* loaded("b0000002")
      yield* proxy.silence
      yield* expectUnavailable(server, project)
      yield* proxy.open
      yield* underWay(load)
      yield* load.stop
      yield* Expect.recorded(direct)
      yield* Expect.eachOnce(server, direct, [load, probe])
      expectOnlyRefusals(load)
    }),
  )

  it.live("PostgreSQL that is unavailable during the stop of the server", () =>
    Effect.gen(function* () {
      const { direct, load, proxy, server } = yield* loaded("b0000006")
      yield* proxy.cut
      yield* refused(load)
      expect(yield* Effect.promise(() => server.end("SIGTERM"))).toBe(0)
      yield* load.stop
      yield* Queue.expireLeases(direct)
      const next = yield* Server.start(["--database-url", Redacted.value(direct)])
      yield* Expect.recorded(direct)
      yield* Expect.eachOnce(next, direct, [load])
    }),
  )

  it.live("connections that break silently", () =>
    Effect.gen(function* () {
      const { direct, load, proxy, server } = yield* loaded("b0000003")
      yield* proxy.forget
      yield* underWay(load)
      yield* load.stop
      yield* Expect.recorded(direct)
      yield* Expect.eachOnce(server, direct, [load])
      expectOnlyRefusals(load)
    }),
  )

  it.live("the embedded PostgreSQL that is killed", () =>
    Effect.gen(function* () {
      const dataDir = join(yield* Folder.temporary, "data")
      const server = yield* Server.start(["--data-dir", dataDir], impatient)
      const project = yield* Instance.firstProject(server)
      const url = Instance.envelopeUrl(server, project)
      const load = yield* Load.start({ target: () => ({ url }), source: "b0000004" })
      yield* underWay(load)
      for (let kills = 0; kills < 2; kills++) {
        const before = Folder.postmaster(dataDir)
        process.kill(before, "SIGKILL")
        yield* until("PostgreSQL runs again", () => running(dataDir, before))
        yield* underWay(load)
      }
      yield* load.stop
      const database = Folder.databaseUrl(dataDir)
      yield* Expect.recorded(database)
      yield* Expect.eachOnce(server, database, [load])
      expectOnlyRefusals(load)
      expect(yield* Effect.promise(() => server.end("SIGTERM"))).toBe(0)
    }),
  )

  it.live("the embedded PostgreSQL while its processes are stopped", () =>
    Effect.gen(function* () {
      const dataDir = join(yield* Folder.temporary, "data")
      const server = yield* Server.start(["--data-dir", dataDir], impatient)
      const project = yield* Instance.firstProject(server)
      const url = Instance.envelopeUrl(server, project)
      const load = yield* Load.start({ target: () => ({ url }), source: "b0000005", connections: 8 })
      yield* underWay(load)
      const signalAll = (signal: NodeJS.Signals) =>
        Effect.promise(async () => {
          const { pids } = await Folder.processes(dataDir)
          for (const pid of pids) {
            try {
              process.kill(pid, signal)
            } catch {
              // Backends end when the server gives up their connections.
            }
          }
        })
      yield* signalAll("SIGSTOP")
      // Repeated: a backend may have started in between. Now the stopped postmaster starts no others.
      yield* signalAll("SIGSTOP")
      yield* Effect.ensuring(expectUnavailable(server, project), signalAll("SIGCONT"))
      yield* underWay(load)
      yield* load.stop
      const database = Folder.databaseUrl(dataDir)
      yield* Expect.recorded(database)
      yield* Expect.eachOnce(server, database, [load, probe])
      expectOnlyRefusals(load)
    }),
  )
})

// internal

const running = (dataDir: string, before: number): boolean => {
  try {
    return Folder.postmaster(dataDir) !== before
  } catch {
    // The file is being written.
    return false
  }
}
