import { existsSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { freshDatabase } from "../../../storage-postgres/test/support/database.js"
import * as Server from "../support/Server.js"
import * as Busy from "./support/Busy.js"
import * as Events from "./support/Events.js"
import * as Expect from "./support/Expect.js"
import * as Folder from "./support/Folder.js"
import * as Http from "./support/Http.js"
import * as Instance from "./support/Instance.js"
import * as Proxy from "./support/Proxy.js"
import { until } from "./support/Wait.js"

const connections = 20

/** A server that clients keep busy, and uploads whose second half is not sent yet. */
const busyServer = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const server = yield* Server.start(args)
  const url = Instance.envelopeUrl(server, yield* Instance.firstProject(server))
  const ids = Array.from({ length: 10 }, (_, i) => Events.eventId("b0000001", i))
  const uploads = yield* Effect.promise(() =>
    Promise.all(ids.map((id, i) => Busy.upload(url, Events.envelope(id, i)))),
  )
  const busy = Busy.start(url, "b0000002", connections)
  yield* until("the server is busy", () => busy.accepted.size >= 100)
  return { server, busy, ids, uploads, url }
})

/** A stopping server answers with 503 from then on, in ms after the signal. */
const refusesAfter = 4_500

/** Stops the server with a signal and checks that no request in flight is lost. */
const stopped = Effect.fnUntraced(function* (args: ReadonlyArray<string>, signal: NodeJS.Signals) {
  const { busy, ids, server, uploads } = yield* busyServer(args)
  const began = performance.now()
  server.child.kill(signal)
  yield* Effect.promise(() => busy.ended)
  for (const { finish } of uploads) finish()
  const answers = yield* Effect.promise(() => Promise.all(uploads.map(({ answer }) => answer)))
  const taken = ids.filter((_, i) => answers[i]!.startsWith("HTTP/1.1 200 "))
  // Only a very busy machine is slower.
  if (performance.now() - began < refusesAfter) {
    expect(taken).toEqual(ids)
    for (const answer of answers) expect(answer.toLowerCase()).toContain("\r\nconnection: close\r\n")
    expect(Object.fromEntries(busy.outcomes)).toEqual({
      200: busy.accepted.size,
      ECONNREFUSED: connections,
    })
  }
  expect(yield* Effect.promise(() => server.closed)).toBe(0)
  expect(server.output()).toContain("Stopping")
  return { accepted: new Set([...busy.accepted, ...taken]), sent: new Set([...busy.sent, ...ids]) }
})

describe("a server stopped under load", () => {
  it.live("memory: answers all pending requests, and rejects none while it listens", () =>
    Effect.gen(function* () {
      yield* stopped(["--storage", "memory"], "SIGINT")
    }),
  )

  it.live("PostgreSQL: has recorded or queued every accepted event", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const args = ["--database-url", Redacted.value(url)]
      const load = yield* stopped(args, "SIGTERM")
      const next = yield* Server.start(args)
      yield* Expect.recorded(url)
      yield* Expect.eachOnce(next, url, [load])
    }),
  )

  it.live("embedded: has recorded or queued every accepted event, and leaves no process behind", () =>
    Effect.gen(function* () {
      const dataDir = join(yield* Folder.temporary, "data")
      const args = ["--data-dir", dataDir]
      const load = yield* stopped(args, "SIGTERM")
      const next = yield* Server.start(args)
      const url = Folder.databaseUrl(dataDir)
      yield* Expect.recorded(url)
      yield* Expect.eachOnce(next, url, [load])
      const running = yield* Effect.promise(() => Folder.processes(dataDir))
      expect(yield* Effect.promise(() => next.end("SIGTERM"))).toBe(0)
      expect(yield* Effect.promise(() => Folder.remaining(running))).toEqual([])
    }),
  )

  it.live("exits immediately on a second signal, with its database", () =>
    Effect.gen(function* () {
      const dataDir = join(yield* Folder.temporary, "data")
      const { server } = yield* busyServer(["--data-dir", dataDir])
      const running = yield* Effect.promise(() => Folder.processes(dataDir))
      // Waits without a pause: the server may still be handling the first signal.
      const stopping = new Promise<void>((resolve) =>
        server.child.stderr!.on("data", () => server.stderr().includes("Stopping") && resolve()),
      )
      server.child.kill("SIGTERM")
      yield* Effect.promise(() => stopping)
      // Uploads are in progress: after the first signal alone, the server would wait for them.
      expect(yield* Effect.promise(() => server.end("SIGTERM"))).toBe(null)
      yield* until(
        "PostgreSQL has ended with its owner",
        async () => (await Folder.remaining(running)).length === 0,
      )
    }),
  )
})

describe("a server stopped while its database is silent", () => {
  it.live("answers pending requests with 503, and exits without the database", () =>
    Effect.gen(function* () {
      const proxy = yield* Proxy.make(yield* freshDatabase)
      // Within the time of this test, only the limit of the stop can end the wait.
      const patient = { ERRATA_DATABASE_ANSWER_TIMEOUT: "5 minutes" }
      const server = yield* Server.start(["--database-url", Redacted.value(proxy.url)], patient)
      const url = Instance.envelopeUrl(server, yield* Instance.firstProject(server))
      yield* proxy.silence
      const waiting = [0, 1].map((i) =>
        Http.send(url, { body: Events.envelope(Events.eventId("b0000003", i), i) }),
      )
      waiting.push(Instance.call(server, "/projects"))
      yield* Effect.sleep("200 millis")
      server.child.kill("SIGTERM")
      const answers = yield* Effect.promise(() => Promise.all(waiting))
      expect(answers.map(({ status }) => status)).toEqual([503, 503, 503])
      expect(yield* Effect.promise(() => server.closed)).toBe(0)
      expect(server.output()).toContain("Stopping took too long")
    }),
  )
})

describe("a server stopped before it is ready", () => {
  it.live.each([
    ["Errata ", "SIGTERM"],
    ["Port bound", "SIGINT"],
    ["Creating the embedded database", "SIGTERM"],
    ["The embedded database is ready", "SIGTERM"],
    ["API key of the admin", "SIGTERM"],
  ] as const)("ends with 0 at %j, and leaves nothing behind", ([line, signal]) =>
    Effect.gen(function* () {
      const dataDir = join(yield* Folder.temporary, "data")
      const args = ["serve", "--port", "0", "--data-dir", dataDir]
      const running = yield* Server.spawnScoped(args, { ERRATA_ADMIN_API_KEY: "" })
      yield* until(line, () => running.output().includes(line))
      running.child.kill(signal)
      expect(yield* Effect.promise(() => running.closed)).toBe(0)
      expect(yield* Effect.promise(() => Folder.processesOf(dataDir))).toEqual([])
      // The folder can still be used.
      yield* Server.start(["--data-dir", dataDir])
    }),
  )
})

describe("the first start", () => {
  const keyIn = (output: string): string | undefined => /errata_[0-9a-f]{64}/.exec(output)?.[0]
  const statusWith = (server: { readonly url: string }, key: string) =>
    Effect.promise(async () => {
      const headers = { authorization: `Bearer ${key}` }
      return (await fetch(`${server.url}/api/service/v1/projects`, { headers })).status
    })
  const keyless = { ERRATA_ADMIN_API_KEY: "" }

  it.live("creates nothing if the port is taken", () =>
    Effect.gen(function* () {
      const dataDir = join(yield* Folder.temporary, "data")
      const port = yield* takenPort
      const failed = yield* Effect.promise(() =>
        Server.run(["serve", "--port", String(port), "--data-dir", dataDir], keyless),
      )
      expect(failed.code).toBe(1)
      expect(failed.stderr).toContain(`errata: Cannot listen on 127.0.0.1:${port}`)
      expect(existsSync(dataDir)).toBe(false)

      const server = yield* Server.start(["--data-dir", dataDir], keyless)
      expect(yield* statusWith(server, keyIn(server.output())!)).toBe(200)
    }),
  )

  it.live("prints the key of each admin it creates, whenever it is killed", () =>
    Effect.gen(function* () {
      const dataDir = join(yield* Folder.temporary, "data")
      const args = ["serve", "--port", "0", "--data-dir", dataDir]
      const killed = yield* Server.spawnScoped(args, keyless)
      yield* until("the key is shown", () => keyIn(killed.output()) !== undefined)
      killed.child.kill("SIGKILL")
      yield* Effect.promise(() => killed.closed)
      const server = yield* Server.start(["--data-dir", dataDir], keyless)
      const key = keyIn(server.output()) ?? keyIn(killed.output())!
      expect(yield* statusWith(server, key)).toBe(200)
    }),
  )

  it.live("delays requests that arrive before it is ready", () =>
    Effect.gen(function* () {
      const caughtEarly = Effect.gen(function* () {
        const dataDir = join(yield* Folder.temporary, "data")
        const running = yield* Server.spawnScoped(["serve", "--port", "0", "--data-dir", dataDir])
        const bound = /Port bound.* port=(\d+)/
        yield* until("it listens", () => bound.test(running.output()))
        if (running.output().includes("Errata is listening"))
          return yield* Effect.fail("It was ready already")
        return `http://127.0.0.1:${bound.exec(running.output())![1]}`
      })
      const url = yield* Effect.retry(caughtEarly, { times: 4 })
      const answered = Effect.gen(function* () {
        const began = performance.now()
        const status = yield* statusWith({ url }, Server.apiKey)
        // A request waits ten seconds. On a busy machine, the start takes longer.
        if (status === 503) expect(performance.now() - began).toBeGreaterThan(9_900)
        return status
      })
      expect(yield* Effect.repeat(answered, { until: (status) => status !== 503 })).toBe(200)
    }),
  )
})

// internal

const takenPort = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<import("node:net").Server>((resolve) => {
        const server = createServer().listen(0, "127.0.0.1", () => resolve(server))
      }),
  ),
  (server) => Effect.promise(() => new Promise((resolve) => server.close(resolve))),
).pipe(Effect.map((server) => (server.address() as import("node:net").AddressInfo).port))
