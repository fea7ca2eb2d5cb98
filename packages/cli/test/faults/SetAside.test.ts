import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { freshDatabase } from "../../../storage-postgres/test/support/database.js"
import * as Server from "../support/Server.js"
import * as Events from "./support/Events.js"
import * as Folder from "./support/Folder.js"
import * as Http from "./support/Http.js"
import * as Instance from "./support/Instance.js"
import { until } from "./support/Wait.js"

const source = "d0000001"
const ids = [0, 1, 2].map((index) => Events.eventId(source, index)) as [string, string, string]

/** Looks like an object from outside; what is inside is read only when it is recorded. */
const notJson = `{"message": "cut off by the sender, "platform": }`

/** Sends an event that cannot be decoded between two that can, and waits for those. */
const sendThree = (server: Server.Server) =>
  Effect.gen(function* () {
    const project = yield* Instance.firstProject(server)
    const bodies = [
      Events.envelope(ids[0], 0),
      Events.envelopeOf(ids[1], notJson),
      Events.envelope(ids[2], 2),
    ]
    const answers = yield* Effect.promise(() =>
      Promise.all(bodies.map((body) => Http.send(Instance.envelopeUrl(server, project), { body }))),
    )
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200])
    yield* until("the neighbours are recorded", async () => {
      const found = await Promise.all([ids[0], ids[2]].map((id) => Instance.findReport(server, project, id)))
      return !found.includes(null)
    })
    expect(yield* Effect.promise(() => Instance.findReport(server, project, ids[1]))).toBe(null)
    expect((yield* Instance.firstProject(server)).reports_count).toBe(2)
    return project
  })

const list = (storage: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const { code, stdout } = await Server.run(["payloads", "list", ...storage])
    expect(code).toBe(0)
    return stdout
  })

/** The rows of the table below its head, by their columns. */
const rowsOf = (table: string) =>
  table
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s{2,}/))

describe("an event that is no JSON between two that are", () => {
  it.scopedLive("PostgreSQL: is set aside with the reason and can be put back while the server runs", () =>
    Effect.gen(function* () {
      const storage = ["--database-url", Redacted.value(yield* freshDatabase)]
      const server = yield* Server.start(storage)
      yield* sendThree(server)
      yield* until("it is set aside", async () => (await Effect.runPromise(list(storage))).includes(ids[1]))
      const [row, ...others] = rowsOf(yield* list(storage))
      expect(others).toEqual([])
      const [id, , event, , , reason] = row!
      expect(event).toBe(ids[1])
      expect(reason).toBe("The event is not a JSON object")

      const retried = yield* Effect.promise(() => Server.run(["payloads", "retry", ...storage, id!]))
      expect(retried).toMatchObject({ code: 0, stdout: `Payload ${id} is in the queue again.\n` })
      // Nothing has changed about it, so it comes back, under another number.
      yield* until("it is set aside again", async () => {
        const [again] = rowsOf(await Effect.runPromise(list(storage)))
        return again !== undefined && again[0] !== id && again[2] === ids[1]
      })
      const repeated = yield* Effect.promise(() => Server.run(["payloads", "retry", ...storage, id!]))
      expect(repeated.code).toBe(1)
      expect(repeated.stderr).toContain("No payload with this id is set aside.")
      yield* sendNormal(server)
    }),
  )

  it.scopedLive(
    "embedded: is set aside with the reason and can be put back while the server is stopped",
    () =>
      Effect.gen(function* () {
        const storage = ["--data-dir", join(yield* Folder.temporary, "data")]
        const server = yield* Server.start(storage)
        yield* sendThree(server)
        expect(yield* Effect.promise(() => server.end("SIGTERM"))).toBe(0)
        const [row] = rowsOf(yield* list(storage))
        expect(row).toContain("The event is not a JSON object")
        const retried = yield* Effect.promise(() => Server.run(["payloads", "retry", ...storage, row![0]!]))
        expect(retried.code).toBe(0)
        expect(yield* list(storage)).toBe("No payload is set aside.\n")

        const next = yield* Server.start(storage)
        yield* sendNormal(next)
        expect(yield* Effect.promise(() => next.end("SIGTERM"))).toBe(0)
        expect(rowsOf(yield* list(storage))).toHaveLength(1)
      }),
  )
})

describe("errata payloads retry --all", () => {
  it.scopedLive("puts everything back, page by page, each payload once, beside the server", () =>
    Effect.gen(function* () {
      const storage = ["--data-dir", join(yield* Folder.temporary, "data")]
      const server = yield* Server.start(storage)
      const project = yield* Instance.firstProject(server)
      // More than are read at once.
      const count = 45
      const events = Array.from({ length: count }, (_, index) => Events.eventId("d0000002", index))
      const answers = yield* Effect.promise(() =>
        Promise.all(
          events.map((id) =>
            Http.send(Instance.envelopeUrl(server, project), { body: Events.envelopeOf(id, notJson) }),
          ),
        ),
      )
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
      const allAside = (known: ReadonlyArray<string>) =>
        until("all are set aside", async () => {
          const rows = rowsOf(await Effect.runPromise(list(storage)))
          return rows.length === count && rows.every(([id]) => !known.includes(id!))
        })
      yield* allAside([])
      const first = rowsOf(yield* list(storage)).map(([id]) => id!)

      const retried = yield* Effect.promise(() => Server.run(["payloads", "retry", "--all", ...storage]))
      expect(retried).toEqual({ code: 0, stdout: `${count} payloads are in the queue again.\n`, stderr: "" })
      // Nothing has changed about them, so each comes back once, under another number.
      yield* allAside(first)
      expect(
        rowsOf(yield* list(storage))
          .map(([, , event]) => event)
          .sort(),
      ).toEqual([...events].sort())
      yield* sendNormal(server)
    }),
  )
})

// internal

/** The worker is alive: one more event is recorded. */
const sendNormal = (server: Server.Server) =>
  Effect.gen(function* () {
    const project = yield* Instance.firstProject(server)
    const id = Events.eventId(source, 99)
    const answer = yield* Effect.promise(() =>
      Http.send(Instance.envelopeUrl(server, project), { body: Events.envelope(id, 99) }),
    )
    expect(answer.status).toBe(200)
    yield* until(
      "one more event is recorded",
      async () => (await Instance.findReport(server, project, id)) !== null,
    )
  })
