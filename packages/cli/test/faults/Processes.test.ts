import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { freshDatabase } from "../../../storage-postgres/test/support/database.js"
import * as Server from "../support/Server.js"
import * as Expect from "./support/Expect.js"
import * as Http from "./support/Http.js"
import * as Instance from "./support/Instance.js"
import * as Load from "./support/Load.js"
import * as Queue from "./support/Queue.js"
import { until } from "./support/Wait.js"

/** A server of several processes on a new database, once all of them serve. */
const started = Effect.fnUntraced(function* (processes: number, env: Readonly<Record<string, string>> = {}) {
  const url = yield* freshDatabase
  const server = yield* Server.start(
    ["--database-url", Redacted.value(url), "--processes", String(processes), "--log-level", "info"],
    env,
  )
  yield* until("all processes serve", () => occurrences(server, "Port bound") >= processes)
  const project = yield* Instance.firstProject(server)
  return { server, url, project, target: Instance.envelopeUrl(server, project) }
})

const occurrences = (server: Server.Server, text: string): number => server.output().split(text).length - 1

const processesOf = (server: Server.Server): ReadonlyArray<number> => childrenOf(server.child.pid!)

const childrenOf = (pid: number): ReadonlyArray<number> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number)

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const loads = (target: string, sources: ReadonlyArray<string>) =>
  Effect.forEach(sources, (source) => Load.start({ source, target: () => ({ url: target }), connections: 8 }))

const queueIsEmpty = (url: Redacted.Redacted) =>
  until("the queue is empty", async () => (await Effect.runPromise(Queue.counts(url))).pending === 0)

describe("a server of several processes", () => {
  it.live("prints one start message, listens on one port, and shows the metrics of all processes", () =>
    Effect.gen(function* () {
      const { server, target, url } = yield* started(3, { ERRATA_METRICS_ENABLED: "true" })
      expect(occurrences(server, "Created the admin")).toBe(1)
      expect(occurrences(server, "Errata is listening on")).toBe(1)
      expect(processesOf(server)).toHaveLength(3)
      const some = yield* loads(target, ["c0001001", "c0001002"])
      yield* until("events arrive", () => some.every((load) => load.accepted.size > 100))
      for (const load of some) yield* load.stop
      yield* Expect.recorded(url)
      yield* Expect.eachOnce(server, url, some)
      for (const load of some) expect([...load.statuses.keys()]).toEqual([200])
      const accepted = some.reduce((sum, load) => sum + load.accepted.size, 0)
      const shown = async () => (await Http.send(`${server.url}/metrics`)).body
      yield* until("any process shows the starts of all", async () => {
        const page = await shown()
        return ["1", "2", "3"].every((n) => page.includes(`process_start_time_seconds{process="${n}"}`))
      })
      yield* until("they count every event", async () => {
        const page = await shown()
        const counts = [...page.matchAll(/^errata_payloads_accepted_total\{process="\d+"\} (\d+)$/gm)]
        return counts.reduce((sum, [, count]) => sum + Number(count), 0) === accepted
      })
    }),
  )

  it.live(
    "loses nothing and answers every request when processes are killed under load, and replaces them",
    () =>
      Effect.gen(function* () {
        const { server, target, url } = yield* started(2)
        const some = yield* loads(target, ["c0001003", "c0001004"])
        yield* until("events arrive", () => some.every((load) => load.accepted.size > 150))
        for (const bound of [3, 4, 5]) {
          const [killed] = processesOf(server)
          process.kill(killed!, "SIGKILL")
          yield* until("another one is started", () => occurrences(server, "Port bound") === bound)
          expect(processesOf(server)).toHaveLength(2)
        }
        expect(server.output()).toContain("A server process ended and will be restarted")
        const after = some.map((load) => load.accepted.size)
        yield* until("events arrive", () => some.every((load, i) => load.accepted.size > after[i]! + 50))
        for (const load of some) yield* load.stop
        yield* queueIsEmpty(url)
        yield* Expect.eachOnce(server, url, some)
        yield* until("it is ready", async () => (await Http.send(`${server.url}/ready`)).body === "ready")
      }),
  )

  it.live("ends with all of its processes on SIGTERM, and keeps accepted events", () =>
    Effect.gen(function* () {
      const { server, target, url } = yield* started(2)
      const some = yield* loads(target, ["c0001005"])
      yield* until("events arrive", () => some.every((load) => load.accepted.size > 100))
      const processes = processesOf(server)
      expect(yield* Effect.promise(() => server.end("SIGTERM"))).toBe(0)
      expect(processes.filter(isAlive)).toEqual([])
      for (const load of some) yield* load.stop
      const next = yield* Server.start(["--database-url", Redacted.value(url)])
      yield* queueIsEmpty(url)
      yield* Expect.eachOnce(next, url, some)
    }),
  )

  it.live("leaves no process behind when the supervisor is killed", () =>
    Effect.gen(function* () {
      const { server, target, url } = yield* started(2)
      const some = yield* loads(target, ["c0001006"])
      yield* until("events arrive", () => some.every((load) => load.accepted.size > 100))
      const processes = processesOf(server)
      expect(yield* Effect.promise(() => server.end("SIGKILL"))).toBe(null)
      yield* until("its processes end", () => !processes.some(isAlive))
      for (const load of some) yield* load.stop
      const next = yield* Server.start(["--database-url", Redacted.value(url)])
      yield* queueIsEmpty(url)
      yield* Expect.eachOnce(next, url, some)
    }),
  )

  it.live("exits with the status of the first process if that cannot start", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* Effect.promise(() =>
        Server.run([
          "serve",
          "--port",
          "0",
          "--processes",
          "2",
          "--database-url",
          "postgres://127.0.0.1:1/none",
        ]),
      )
      expect(code).toBe(1)
      expect(stderr.match(/The database cannot be reached/g)).toHaveLength(1)
    }),
  )

  it.live("requires PostgreSQL", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* Effect.promise(() =>
        Server.run(["serve", "--storage", "memory", "--processes", "2"]),
      )
      expect(code).toBe(2)
      expect(stderr).toContain("Only a server on PostgreSQL can have 2 processes")
    }),
  )
})
