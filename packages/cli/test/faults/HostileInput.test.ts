import { readFileSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted, type Scope } from "effect"
import { freshDatabase } from "../../../storage-postgres/test/support/database.js"
import * as Server from "../support/Server.js"
import * as Events from "./support/Events.js"
import * as Expect from "./support/Expect.js"
import { hostileEvents } from "./support/HostileEvents.js"
import { hostileRequests } from "./support/HostileRequests.js"
import * as Http from "./support/Http.js"
import * as Instance from "./support/Instance.js"
import * as Queue from "./support/Queue.js"
import { until } from "./support/Wait.js"

const storages: ReadonlyArray<readonly [string, Effect.Effect<ReadonlyArray<string>, unknown, Scope.Scope>]> =
  [
    ["memory", Effect.succeed(["--storage", "memory"])],
    ["PostgreSQL", Effect.map(freshDatabase, (url) => ["--database-url", Redacted.value(url)])],
  ]

describe.each(storages)("hostile input, storage: %s", (_, storage) => {
  it.live("is rejected with a reason or recorded within the limits, in little memory", () =>
    Effect.gen(function* () {
      const server = yield* Server.start(yield* storage)
      const project = yield* Instance.firstProject(server)
      const watch = yield* watchLiveness(server)
      const sendTo = (endpoint: string, sending: Http.Sending) =>
        Http.send(`${server.url}/api/${project.id}/${endpoint}/?sentry_key=${project.token}`, sending)

      for (const { name, status, endpoint, ...sending } of hostileRequests) {
        const answer = yield* Effect.promise(() => sendTo(endpoint ?? "envelope", sending))
        expect.soft(answer.status, name).toBe(status)
        expect.soft(answer.headers["x-sentry-error"], name).toMatch(/^[a-z_]+$/)
        expect.soft(JSON.parse(answer.body), name).toMatchObject({ detail: expect.any(String) })
      }

      const began = Date.now()
      const sent = hostileEvents.map((event, index) => ({ ...event, id: Events.eventId("f0000001", index) }))
      const answers = yield* Effect.forEach(
        sent,
        ({ id, json }) => {
          const head = `{"event_id":"${id}"}\n{"type":"event","length":${Buffer.byteLength(json)}}\n`
          return Effect.promise(() =>
            sendTo("envelope", { body: Buffer.concat([Buffer.from(head), Buffer.from(json)]) }),
          )
        },
        { concurrency: 8 },
      )
      for (const [index, answer] of answers.entries()) expect.soft(answer.status, sent[index]!.name).toBe(200)

      // The worker survived: the last event is recorded too.
      const last = Events.eventId("f0000002", 1)
      const normal = yield* Effect.promise(() => sendTo("envelope", { body: Events.envelope(last, 1) }))
      expect(normal.status).toBe(200)
      yield* until(
        "a normal event is recorded",
        async () => (await Instance.findReport(server, project, last)) !== null,
      )
      yield* until(
        "everything is recorded",
        async () => (await Effect.runPromise(Instance.firstProject(server))).reports_count >= sent.length + 1,
      )

      for (const { id, name, truncation } of sent) {
        const report = yield* Effect.promise(() => Instance.findReport<Report>(server, project, id))
        expect.soft(report, name).not.toBe(null)
        if (report === null) continue
        expect.soft(problemsOf(report), name).toEqual([])
        if (truncation !== undefined) {
          expect.soft(report.ingest_truncations.join("\n"), name).toContain(truncation)
        }
        const occurredAt = Date.parse(report.occurred_at)
        expect.soft(occurredAt, name).toBeGreaterThan(began - 31 * 24 * 3600e3)
        expect.soft(occurredAt, name).toBeLessThan(Date.now() + 61e3)
      }
      // All lists can be read, page by page.
      const listed = yield* Instance.reportsOf(server, project)
      expect(listed).toHaveLength(sent.length + 1)

      const failures = yield* watch
      expect(failures).toEqual([])
      const peak = peakMemory(server)
      if (peak !== null) expect(peak).toBeLessThan(maxMemoryBytes)
      expect(server.output()).not.toContain("level=ERROR")
      expect(server.child.exitCode).toBe(null)
    }),
  )
})

describe("oversized client reports", () => {
  it.live("do not prevent recording of events", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const server = yield* Server.start(["--database-url", Redacted.value(url)])
      const project = yield* Instance.firstProject(server)
      const counted = `{"reason":"r","category":"c","quantity":${Number.MAX_SAFE_INTEGER}}`
      const item = `{"type":"client_report"}\n{"discarded_events":[${Array.from({ length: 100 }, () => counted)}]}\n`
      const ids = Array.from({ length: 15 }, (_, index) => Events.eventId("f0000003", index))
      for (const [index, id] of ids.entries()) {
        const body = Events.envelope(id, index) + item
        const answer = yield* Effect.promise(() => Http.send(Instance.envelopeUrl(server, project), { body }))
        expect(answer.status).toBe(200)
      }
      yield* Expect.recorded(url)
      expect((yield* Instance.firstProject(server)).reports_count).toBe(ids.length)
      expect((yield* Queue.counts(url)).dead_letters).toBe(0)
    }),
  )
})

describe("a body that is too large by its announced length", () => {
  it.live.each([
    ["on a connection of its own", 0],
    ["on a connection that is kept", 1],
  ] as const)("is rejected with a response that the sender can read, %s", ([, connections]) =>
    Effect.gen(function* () {
      const server = yield* Server.start(["--storage", "memory"])
      const url = Instance.envelopeUrl(server, yield* Instance.firstProject(server))
      const agent = connections === 0 ? {} : { agent: Http.keepAlive(connections) }
      for (const size of [16 * MiB + 1, 20 * MiB]) {
        const body = Buffer.alloc(size, 32)
        // The response races the end of the connection, so one try proves little.
        for (let tries = 0; tries < 10; tries++) {
          const status = yield* Effect.promise(() =>
            Http.send(url, { body, ...agent }).then(
              (answer) => answer.status,
              (error) => String(error),
            ),
          )
          expect.soft(status, `${size} bytes`).toBe(413)
        }
      }
    }),
  )
})

// internal

const MiB = 1024 * 1024
// Several bodies of 16 MiB at once, in both threads and on their way to the database.
const maxMemoryBytes = 512e6

/** Polls `/up` until stopped and returns the failures. */
const watchLiveness = (server: Server.Server) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const failures: Array<string> = []
      let answers = 0
      let stopped = false
      const asking = (async () => {
        while (!stopped) {
          await Http.send(`${server.url}/up`).then(
            ({ status }) => {
              answers++
              if (status !== 200) failures.push(`status ${status}`)
            },
            (error) => failures.push(String(error)),
          )
          await setTimeout(50)
        }
      })()
      const stop = Effect.promise(async () => {
        stopped = true
        await asking
        if (answers === 0) failures.push("it was never asked")
        return failures
      })
      return { stop }
    }),
    ({ stop }) => stop,
  ).pipe(Effect.map(({ stop }) => stop))

/** Peak memory of the process in bytes, or null on other systems than Linux. */
const peakMemory = (server: Server.Server): number | null => {
  if (process.platform !== "linux") return null
  const status = readFileSync(`/proc/${server.child.pid}/status`, "utf8")
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)![1]) * 1024
}

interface Report {
  readonly occurred_at: string
  readonly ingest_truncations: ReadonlyArray<string>
  readonly [key: string]: unknown
}

const maxLengths: Readonly<Record<string, number>> = {
  exceptions: 32,
  threads: 64,
  breadcrumbs: 100,
  tags: 100,
  contexts: 50,
  extras: 100,
  dependencies: 500,
  debug_images: 500,
}

const indexedFields = [
  "error_type",
  "error_message",
  "culprit",
  "platform",
  "server_name",
  "environment",
  "release_version",
]

/** Lists limits that a report exceeds and values that must not be stored. */
const problemsOf = (report: Report): ReadonlyArray<string> => {
  const problems: Array<string> = []
  for (const [field, max] of Object.entries(maxLengths)) {
    const list = report[field] as ReadonlyArray<unknown>
    if (list.length > max) problems.push(`${list.length} ${field}`)
  }
  for (const field of indexedFields) {
    if (Buffer.byteLength(report[field] as string) > 8192) problems.push(`long ${field}`)
  }
  const checkText = (text: string, max: number, path: string) => {
    if (text.includes("\0")) problems.push(`NUL in ${path}`)
    if (!text.isWellFormed()) problems.push(`lone surrogate in ${path}`)
    if (Buffer.byteLength(text) > max) problems.push(`${Buffer.byteLength(text)} bytes in ${path}`)
  }
  const walk = (value: unknown, depth: number, path: string): void => {
    if (depth > 70) return void problems.push(`too deep: ${path}`)
    if (typeof value === "string") checkText(value, 64 * 1024, path)
    else if (Array.isArray(value)) for (const item of value) walk(item, depth + 1, `${path}[]`)
    else if (typeof value === "object" && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        checkText(key, 1024, `a key in ${path}`)
        if (key === "__proto__") problems.push(`__proto__ in ${path}`)
        walk(member, depth + 1, `${path}.${key.slice(0, 20)}`)
      }
    }
  }
  walk(report, 0, "report")
  return problems
}
