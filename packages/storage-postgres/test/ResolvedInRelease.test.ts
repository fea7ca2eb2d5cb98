import { describe, expect, it } from "@effect/vitest"
import { type Group, GroupFilter, nextRelease, type ProjectId } from "@errata/core"
import { Recorder, RecorderWorker } from "@errata/core/internal"
import {
  GroupLifecycle,
  GroupStore,
  type Payload,
  PendingPayloads,
  ReleaseStore,
  ReportStore,
} from "@errata/core/ports"
import { Factory, Given, TestDecoder } from "@errata/testing"
import { DateTime, Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Node from "./support/node.js"

const recorder = Recorder.Default.pipe(Layer.provide(TestDecoder.layer))

const record = (...payloads: ReadonlyArray<Payload>) =>
  Effect.flatMap(PendingPayloads, (pending) => pending.append(payloads)).pipe(
    Effect.andThen(RecorderWorker.drain),
    Effect.provide(recorder),
  )

const groupOf = Effect.fnUntraced(function* (projectId: ProjectId, message: string) {
  const groups = yield* GroupStore
  const page = { limit: 10, cursor: null }
  const { items } = yield* groups.list(projectId, GroupFilter.all, page, yield* DateTime.now)
  const { id } = items.find(({ errorMessage }) => errorMessage === message)!
  return yield* Effect.fromOption(yield* groups.find(projectId, id))
})

/** Waits until another statement is blocked by this connection. */
const blocked = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.repeat(
    sql`
      SELECT count(*)::int AS waiting FROM pg_locks
      WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))`,
    { until: ([row]) => row?.["waiting"] === 1 },
  ),
)

/** Inserts a report like another recorder, without the commit. */
const insertReport = Effect.fnUntraced(function* (group: Group, release: string, at: DateTime.Utc) {
  const report = Factory.newReport(group, { release, occurredAt: at.epochMilliseconds })
  yield* (yield* ReportStore).insert([report], yield* DateTime.now)
})

/**
 * Makes two recorders use a new release at once. One has stored a report of it in a group and not committed. The other
 * records a report of it in a group that is resolved in the next release, in minute 10. Reports arrive at the given
 * minutes.
 */
const race = (isCommitted: boolean, first: number, other: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const groups = yield* GroupStore
    const project = yield* Given.project()
    const at = (minutes: number) => DateTime.add(Factory.noon, { minutes })
    const send = (message: string, release: string, minutes: number) =>
      TestDecoder.payload(
        project.id,
        { group: message, message, release },
        { receivedAt: at(minutes).epochMilliseconds },
      )
    yield* record(send("plain", "old", 0), send("resolved", "old", 0))
    const plain = yield* groupOf(project.id, "plain")
    const before = yield* groupOf(project.id, "resolved")
    yield* groups.save([GroupLifecycle.resolve(before, null, at(10), nextRelease).group])
    const isStored = yield* Deferred.make<void>()
    const recording = yield* Effect.forkChild(
      Effect.andThen(Deferred.await(isStored), record(send("resolved", "new", other))),
    )
    yield* sql
      .withTransaction(
        Effect.gen(function* () {
          yield* insertReport(plain, "new", at(first))
          yield* Deferred.succeed(isStored, undefined)
          yield* blocked
          if (!isCommitted) return yield* Effect.fail("undone" as const)
        }),
      )
      .pipe(
        Effect.catchIf(
          (error) => error === "undone",
          () => Effect.void,
        ),
      )
    yield* Fiber.join(recording)
    const releases = yield* ReleaseStore
    const [seen] = yield* releases.firstSeen([{ projectId: project.id, version: "new" }])
    const { resolution } = yield* groupOf(project.id, "resolved")
    return { isOpen: resolution === null, seen: (seen! - Factory.noon.epochMilliseconds) / 60_000 }
  }).pipe(Effect.provide(Node.layer()))

describe("a group that is resolved in the next release, when two recorders see a release concurrently", () => {
  it.live("stays resolved if the other one has a report from before the resolution", () =>
    Effect.gen(function* () {
      expect(yield* race(true, 9, 12)).toEqual({ isOpen: false, seen: 9 })
    }),
  )

  it.live("is reopened if both have reports from after it", () =>
    Effect.gen(function* () {
      expect(yield* race(true, 13, 12)).toEqual({ isOpen: true, seen: 12 })
      expect(yield* race(true, 11, 12)).toEqual({ isOpen: true, seen: 11 })
    }),
  )

  it.live("is reopened if the other one fails", () =>
    Effect.gen(function* () {
      expect(yield* race(false, 9, 12)).toEqual({ isOpen: true, seen: 12 })
    }),
  )
})
