import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { freshDatabase } from "../../../storage-postgres/test/support/database.js"
import * as Server from "../support/Server.js"
import * as Expect from "./support/Expect.js"
import * as Folder from "./support/Folder.js"
import * as Instance from "./support/Instance.js"
import * as Load from "./support/Load.js"
import * as Queue from "./support/Queue.js"
import { until } from "./support/Wait.js"

/** After this many responses, appending and recording are both busy. */
const answersBefore = 150

const loadOn = Effect.fnUntraced(function* (server: Server.Server, source: string) {
  const url = Instance.envelopeUrl(server, yield* Instance.firstProject(server))
  const load = yield* Load.start({ target: () => ({ url }), source })
  yield* until("the load is under way", () => load.accepted.size >= answersBefore)
  return load
})

/** Sends the server a signal in the middle of a load. Returns the load and the server's exit code. */
const cutShort = (args: ReadonlyArray<string>, source: string, signal: NodeJS.Signals) =>
  Effect.gen(function* () {
    const server = yield* Server.start(args)
    const load = yield* loadOn(server, source)
    const code = yield* Effect.promise(() => server.end(signal))
    yield* load.stop
    return { load, code, server }
  })

const sources = ["a0000001", "a0000002", "a0000003"]

describe("a server that is killed under load", () => {
  it.live("PostgreSQL: stores every accepted event once", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const args = ["--database-url", Redacted.value(url)]
      const loads: Array<Load.Load> = []
      for (const source of sources) {
        const { code, load } = yield* cutShort(args, source, "SIGKILL")
        expect(code).toBe(null)
        loads.push(load)
        // The next server records the killed server's batches, while it is under load and killed itself.
        yield* Queue.expireLeases(url)
      }
      const last = yield* Server.start(args)
      yield* Expect.recorded(url)
      yield* Expect.eachOnce(last, url, loads)
    }),
  )

  it.live("embedded: stores every accepted event once, and leaves no process behind", () =>
    Effect.gen(function* () {
      const dataDir = join(yield* Folder.temporary, "data")
      const args = ["--data-dir", dataDir]
      const loads: Array<Load.Load> = []
      for (const source of sources.slice(0, 2)) {
        const server = yield* Server.start(args)
        const load = yield* loadOn(server, source)
        const running = yield* Effect.promise(() => Folder.processes(dataDir))
        expect(running.pids.length).toBeGreaterThan(2)
        yield* Effect.promise(() => server.end("SIGKILL"))
        yield* load.stop
        loads.push(load)
        yield* until(
          "PostgreSQL has ended with its owner",
          async () => (await Folder.remaining(running)).length === 0,
        )
      }
      const last = yield* Server.start(args)
      const url = Folder.databaseUrl(dataDir)
      yield* Expect.recorded(url)
      yield* Expect.eachOnce(last, url, loads)

      const running = yield* Effect.promise(() => Folder.processes(dataDir))
      expect(yield* Effect.promise(() => last.end("SIGTERM"))).toBe(0)
      expect(yield* Effect.promise(() => Folder.remaining(running))).toEqual([])
    }),
  )

  it.live("the next worker continues the work of a killed one, while another node accepts events", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const args = ["--database-url", Redacted.value(url)]
      const web = yield* Server.start([...args, "--roles", "web"])
      const load = yield* loadOn(web, "a0000011")
      expect((yield* Instance.firstProject(web)).reports_count).toBe(0)

      for (let kills = 0; kills < 3; kills++) {
        const before = (yield* Instance.firstProject(web)).reports_count
        const worker = yield* Server.startWorker(args)
        yield* until(
          "the worker records",
          async () => (await Effect.runPromise(Instance.firstProject(web))).reports_count > before,
        )
        yield* Effect.promise(() => worker.end("SIGKILL"))
        yield* Queue.expireLeases(url)
      }
      yield* load.stop
      expect([...load.statuses.keys()]).toEqual([200])

      const worker = yield* Server.startWorker(args)
      yield* Expect.recorded(url)
      yield* Expect.eachOnce(web, url, [load])
      expect(yield* Effect.promise(() => worker.end("SIGTERM"))).toBe(0)
    }),
  )
})

describe("a server that is asked to stop under load", () => {
  it.live("PostgreSQL: answers pending requests, exits with 0 and keeps accepted events", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const args = ["--database-url", Redacted.value(url)]
      const { code, load } = yield* cutShort(args, "a0000021", "SIGTERM")
      expect(code).toBe(0)
      const last = yield* Server.start(args)
      // No lease has to expire: an orderly stop releases unrecorded batches.
      yield* until(
        "the queue is empty",
        async () => (await Effect.runPromise(Queue.counts(url))).pending === 0,
      )
      yield* Expect.eachOnce(last, url, [load])
      // Every stored event was acknowledged, or answered 503 because it took too long: no request that had reached the server was
      // cut off.
      const stored = (yield* Instance.firstProject(last)).reports_count
      expect(stored - load.accepted.size).toBeLessThanOrEqual(load.statuses.get(503) ?? 0)
    }),
  )
})
