/** A server on a primary and its synchronous standby. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as Replicated from "../../../storage-postgres/test/support/replicated.js"
import * as Server from "../support/Server.js"
import * as Expect from "./support/Expect.js"
import * as Http from "./support/Http.js"
import * as Instance from "./support/Instance.js"
import * as Load from "./support/Load.js"
import { until } from "./support/Wait.js"

const storageLines = (server: Server.Server) =>
  server
    .stderr()
    .split("\n")
    .flatMap((line) => /message="The storage is (unavailable|available again)/.exec(line)?.[1] ?? [])

const ready = async (server: Server.Server) => (await Http.send(`${server.url}/ready`)).status

describe("a server whose primary database is killed under load", () => {
  it.live("continues with the promoted standby and loses nothing", () =>
    Effect.gen(function* () {
      const database = yield* Replicated.make
      const args = ["--database-url", Redacted.value(database.url)]
      const server = yield* Server.start(args)
      const project = yield* Instance.firstProject(server)
      const url = Instance.envelopeUrl(server, project)
      const load = yield* Load.start({ source: "d0002801", target: () => ({ url }), connections: 8 })
      const accepts = (what: string) => {
        const before = load.accepted.size
        return until(`events are accepted ${what}`, () => load.accepted.size > before + 100)
      }
      yield* accepts("by the primary")
      yield* database.killFirst
      yield* until("the server is not ready", async () => (await ready(server)) === 503)
      yield* until("events are refused", () => (load.statuses.get(503) ?? 0) > 10)
      yield* database.promoteSecond
      yield* accepts("by the promoted standby")
      yield* until("the server is ready", async () => (await ready(server)) === 200)

      yield* database.startFirstReadOnly
      yield* accepts("although the old primary is back")
      const other = yield* Server.start(args)
      yield* load.stop
      yield* Expect.recorded(database.second)
      yield* Expect.eachOnce(other, database.second, [load])
      expect([...load.statuses.keys()].sort()).toEqual([200, 503])
      yield* until("the server tells that the storage is back", () => storageLines(server).length > 1)
      expect(storageLines(server)).toEqual(["unavailable", "available again"])
    }),
  )
})
