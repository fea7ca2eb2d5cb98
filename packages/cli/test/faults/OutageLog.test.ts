/** Log lines about a database outage, and the responses when the database refuses connections. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { connect } from "../../../storage-postgres/test/embedded/support/client.js"
import { freshDatabase } from "../../../storage-postgres/test/support/database.js"
import * as Server from "../support/Server.js"
import * as Events from "./support/Events.js"
import * as Http from "./support/Http.js"
import * as Instance from "./support/Instance.js"
import * as Proxy from "./support/Proxy.js"
import * as Queue from "./support/Queue.js"
import { until } from "./support/Wait.js"

const linesOf = (server: Server.Server) =>
  server
    .stderr()
    .split("\n")
    .filter((line) => / level=(WARN|ERROR|FATAL) /.test(line) || line.includes("is available again"))

const send = (server: Server.Server, project: Instance.Project, n: number) =>
  Http.send(Instance.envelopeUrl(server, project), {
    body: Events.envelope(Events.eventId("e0000001", n), n),
  })

describe("the log of a database that is unavailable for a while", () => {
  it.live("has one line at the start and one at the end", () =>
    Effect.gen(function* () {
      const proxy = yield* Proxy.make(yield* freshDatabase)
      const server = yield* Server.start(["--database-url", Redacted.value(proxy.url)])
      const project = yield* Instance.firstProject(server)
      for (let outages = 1; outages <= 2; outages++) {
        yield* proxy.cut
        // Requests, events and the recorder (which polls twice a second) all meet the outage.
        yield* until("the outage is told", async () => {
          const answer = await send(server, project, outages)
          await Instance.call(server, `/projects/${project.id}/groups`)
          return answer.status === 503 && linesOf(server).length === outages * 2 - 1
        })
        for (let i = 0; i < 20; i++) {
          const { status } = yield* Effect.promise(() => Instance.call(server, "/projects"))
          expect(status).toBe(503)
        }
        yield* proxy.open
        yield* until("the end is told", () => linesOf(server).length === outages * 2)
        expect((yield* Effect.promise(() => send(server, project, 100 + outages))).status).toBe(200)
      }
      const away = expect.stringMatching(/level=WARN message="The storage is unavailable\. Errata checks it/)
      const back = expect.stringMatching(/level=INFO message="The storage is available again"/)
      expect(linesOf(server)).toEqual([away, back, away, back])
    }),
  )
})

describe("a database that accepts no more connections", () => {
  it.live("causes 503 responses, and one sentence from local commands", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const url = new URL(Redacted.value(database))
      const name = url.pathname.slice(1)
      const server = yield* Server.start(["--database-url", url.href])
      const project = yield* Instance.firstProject(server)

      url.pathname = "/postgres"
      const administration = yield* connect(url.href)
      yield* administration.unsafe(`alter database ${name} with allow_connections false`)
      yield* Queue.endConnections(Redacted.make(url.href), name)
      yield* until(
        "it is answered 503",
        async () => (await Instance.call(server, "/projects")).status === 503,
      )
      const intake = yield* Effect.promise(() => send(server, project, 1))
      expect(intake.status).toBe(503)

      const listed = yield* Effect.promise(() =>
        Server.run(["users", "list", "--database-url", Redacted.value(database)]),
      )
      expect(listed).toEqual({
        code: 1,
        stdout: "",
        stderr: `errata: The database rejected the connection: database "${name}" is not currently accepting connections\n`,
      })
      expect(linesOf(server).filter((line) => line.includes("level=ERROR"))).toEqual([])
      yield* administration.unsafe(`alter database ${name} with allow_connections true`)
      yield* until("it answers again", async () => (await Instance.call(server, "/projects")).status === 200)
    }),
  )
})
