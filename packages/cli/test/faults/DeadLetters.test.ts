import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { freshDatabase } from "../../../storage-postgres/test/support/database.js"
import * as Server from "../support/Server.js"
import * as Events from "./support/Events.js"
import * as Instance from "./support/Instance.js"
import * as Queue from "./support/Queue.js"
import { acceptUnreadable } from "./support/Unreadable.js"
import { until } from "./support/Wait.js"

const source = "d0000001"
const ids = [0, 1, 2].map((index) => Events.eventId(source, index)) as [string, string, string]

const list = (storage: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const { code, stderr, stdout } = await Server.run(["dead-letters", "list", ...storage])
    expect(code).toBe(0)
    return { stderr, stdout }
  })

/** Rows of the printed table, split into columns. */
const rowsOf = ({ stdout }: { readonly stdout: string }) =>
  stdout
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s{2,}/))

describe("an event that is no JSON between two that are", () => {
  it.live("becomes a dead letter with the reason, and can be retried while the server runs", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const storage = ["--database-url", Redacted.value(database)]
      const project = yield* acceptUnreadable(database, ids, [ids[1]])
      const server = yield* Server.start(storage)
      yield* until("the neighbors are recorded", async () => {
        const found = await Promise.all(
          [ids[0], ids[2]].map((id) => Instance.findReport(server, project, id)),
        )
        return !found.includes(null)
      })
      // It may be in another batch.
      yield* until(
        "it is a dead letter",
        async () => (await Effect.runPromise(Queue.counts(database))).dead_letters === 1,
      )
      expect(yield* Effect.promise(() => Instance.findReport(server, project, ids[1]))).toBe(null)
      expect((yield* Instance.firstProject(server)).reports_count).toBe(2)
      const listed = yield* list(storage)
      expect(listed.stderr).toContain(
        "1 dead letter, 0.0 MiB in total. Kept for 90 days, up to 1000 dead letters and 64.0 MiB per project.",
      )
      const [row, ...others] = rowsOf(listed)
      expect(others).toEqual([])
      const [id, , event, , , reason] = row!
      expect(event).toBe(ids[1])
      expect(reason).toBe("The event is not a JSON object")

      const retried = yield* Effect.promise(() => Server.run(["dead-letters", "retry", ...storage, id!]))
      expect(retried).toMatchObject({ code: 0, stderr: `Dead letter ${id} was queued again.\n` })
      // Its body is unchanged, so it becomes a dead letter again, with another id.
      yield* until("it is a dead letter again", async () => {
        const [again] = rowsOf(await Effect.runPromise(list(storage)))
        return again !== undefined && again[0] !== id && again[2] === ids[1]
      })
      const repeated = yield* Effect.promise(() => Server.run(["dead-letters", "retry", ...storage, id!]))
      expect(repeated.code).toBe(1)
      expect(repeated.stderr).toContain("No dead letter has this id.")

      // A dead letter that is readable again is recorded.
      yield* Queue.replaceBodies(database, (payload) =>
        payload.eventId === ids[1] ? Buffer.from(Events.envelope(ids[1], 1)) : payload.body,
      )
      const [last] = rowsOf(yield* list(storage))
      yield* Effect.promise(() => Server.run(["dead-letters", "retry", ...storage, last![0]!]))
      yield* until(
        "it is recorded",
        async () => (await Instance.findReport(server, project, ids[1])) !== null,
      )
      expect(yield* list(storage)).toEqual({ stderr: "There are no dead letters.\n", stdout: "" })
    }),
  )
})

describe("errata dead-letters retry --all", () => {
  it.live("queues all payloads again once, page by page, while the server runs", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const storage = ["--database-url", Redacted.value(database)]
      // More than one transaction retries.
      const count = 130
      const events = Array.from({ length: count }, (_, index) => Events.eventId("d0000002", index))
      yield* acceptUnreadable(database, events, events)
      yield* Server.start(storage)
      const letters = Queue.query<{ id: string; event_id: string }>(
        database,
        "SELECT id, event_id FROM errata.dead_letters ORDER BY event_id",
      )
      const allDead = (known: ReadonlyArray<string>) =>
        until("all are dead letters", async () => {
          const rows = await Effect.runPromise(letters)
          return rows.length === count && rows.every(({ id }) => !known.includes(id))
        })
      yield* allDead([])
      const first = (yield* letters).map(({ id }) => id)

      const retried = yield* Effect.promise(() => Server.run(["dead-letters", "retry", "--all", ...storage]))
      expect(retried).toEqual({ code: 0, stdout: `${count} dead letters were queued again.\n`, stderr: "" })
      // Their bodies are unchanged, so each becomes a dead letter again, with another id.
      yield* allDead(first)
      expect((yield* letters).map(({ event_id }) => event_id)).toEqual([...events].sort())
    }),
  )
})
