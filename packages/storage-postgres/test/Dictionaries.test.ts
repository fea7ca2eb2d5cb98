/** Segments with dictionaries: written, read by others, moved, and without the dictionary that their node knows. */
import { describe, expect, it } from "@effect/vitest"
import { GroupFilter, type ProjectId } from "@errata/core"
import { Recorder, RecorderWorker } from "@errata/core/internal"
import { GroupStore, PendingPayloads, ReportStore, RetentionStore, Storage } from "@errata/core/ports"
import { Given, StorageClock, TestDecoder } from "@errata/testing"
import { DateTime, Duration, Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import * as Buckets from "../src/internal/Buckets.js"
import * as Distribution from "../src/internal/Distribution.js"
import * as PostgresClient from "../src/PostgresClient.js"
import * as PostgresStorage from "../src/PostgresStorage.js"
import { make as makeRecentBlocks, RecentBlocks } from "../src/RecentBlocks.js"
import { clusterUrl, freshCluster } from "./support/citus.js"
import * as StorageClockLayer from "./support/clock.js"
import { migratedDatabase } from "./support/database.js"
import * as Objects from "./support/objects.js"

/** A node that reads all blocks from the database. */
const stores = PostgresStorage.layerStores.pipe(
  Layer.provide(Layer.succeed(RecentBlocks, () => ({ ...makeRecentBlocks(), keep: () => {} }))),
)

type Place = "in one schema" | "in two buckets" | "on the cluster at CITUS_URL"

const nodeWith = (objects: Objects.TestObjects, place: Place) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const onCitus = place === "on the cluster at CITUS_URL"
      const url = yield* onCitus ? freshCluster : migratedDatabase
      if (place !== "in one schema") {
        const migration = PostgresClient.layerMigration({ url })
        yield* Effect.provide(Distribution.distribute({ buckets: 2, onCitus }), migration)
      }
      const node = Layer.provideMerge(Layer.fresh(stores), PostgresClient.layer({ url }))
      return Layer.provideMerge(StorageClockLayer.layerAtMidweek, Layer.provide(node, objects.layer))
    }),
  )

const recorder = Recorder.Default.pipe(Layer.provide(TestDecoder.layer))

/** A payload of 1 KB that resembles the others. */
const payloadOf = (projectId: ProjectId, message: string, group = "a") => {
  const modules = Object.fromEntries(
    Array.from({ length: 60 }, (_, i) => [`package-${i * 7919}`, `${i}.0.${i}`]),
  )
  return TestDecoder.payload(projectId, { group, message, ...{ modules } })
}

const append = Effect.fnUntraced(function* (projectId: ProjectId, ...messages: ReadonlyArray<string>) {
  const pending = yield* PendingPayloads
  yield* pending.append(messages.map((message) => payloadOf(projectId, message, message.slice(0, 1))))
})

const record = RecorderWorker.drain.pipe(Effect.provide(recorder))

const rowsOf = Effect.fnUntraced(function* (projectId: ProjectId, columns: string, where = "true") {
  const sql = yield* SqlClient.SqlClient
  return yield* sql
    .unsafe<Record<string, unknown>>(
      `SELECT ${columns} FROM errata.segments WHERE project_id = ${projectId} AND ${where} ORDER BY id`,
    )
    .pipe(Buckets.inThatOf(sql, projectId))
})

const change = Effect.fnUntraced(function* (projectId: ProjectId, statement: string, where: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql
    .unsafe(`${statement} WHERE project_id = ${projectId} AND ${where}`)
    .pipe(Buckets.inThatOf(sql, projectId))
})

const dictionaries = (projectId: ProjectId) => rowsOf(projectId, "id", "payloads_count = 0")
const withDictionary = (projectId: ProjectId) => rowsOf(projectId, "id", "dictionary_id IS NOT NULL")

const until = <E, R>(isReached: Effect.Effect<boolean, E, R>) =>
  Effect.repeat(isReached, { until: (reached) => reached, schedule: Schedule.spaced("20 millis") })

/** Appends until a condition holds. Returns the messages. */
const appendUntil = <E, R>(projectId: ProjectId, name: string, isReached: Effect.Effect<boolean, E, R>) =>
  Effect.gen(function* () {
    const messages: Array<string> = []
    yield* until(
      Effect.gen(function* () {
        const message = `a ${name} ${messages.length}`
        yield* append(projectId, message)
        messages.push(message)
        return yield* isReached
      }),
    )
    return messages
  })

/** Appends until the node uses a dictionary. Returns the messages. */
const learn = (projectId: ProjectId, name: string) =>
  appendUntil(
    projectId,
    name,
    Effect.map(withDictionary(projectId), (found) => found.length > 0),
  )

const page = { limit: 100, cursor: null }

/** Messages of all reports, from their payloads. */
const messagesOf = Effect.fnUntraced(function* (projectId: ProjectId) {
  const reports = yield* ReportStore
  const { items } = yield* (yield* GroupStore).list(projectId, GroupFilter.all, page, yield* DateTime.now)
  const found: Array<string> = []
  for (const { id: groupId } of items) {
    const listed = yield* reports.list(projectId, groupId, { since: null, until: null }, page)
    for (const { id } of listed.items) {
      const { payload, unreadable } = yield* Effect.fromOption(yield* reports.find(projectId, groupId, id))
      const body = payload === null ? null : JSON.parse(Buffer.from(payload.body).toString())
      found.push(body?.message ?? unreadable ?? "none")
    }
  }
  return found.sort()
})

const advance = Effect.fnUntraced(function* (days: number) {
  yield* (yield* StorageClock).advance(Duration.days(days))
  yield* (yield* Storage).prepare
})

const archive = Effect.flatMap(Storage, (storage) => storage.archive(1))

const places: ReadonlyArray<Place> = ["in one schema", "in two buckets", "on the cluster at CITUS_URL"]

describe.each(places)("dictionaries %s", (place) => {
  const test = (
    name: string,
    run: (projectId: ProjectId) => Effect.Effect<void, unknown, Layer.Success<ReturnType<typeof nodeWith>>>,
  ) =>
    it.live.skipIf(place === "on the cluster at CITUS_URL" && clusterUrl === undefined)(
      name,
      () =>
        Effect.gen(function* () {
          const { id } = yield* Given.project()
          yield* run(id)
        }).pipe(Effect.provide(nodeWith(Objects.make(), place))),
      240_000,
    )

  test("make segments smaller without changing their content", (projectId) =>
    Effect.gen(function* () {
      const messages = yield* learn(projectId, "one")
      yield* append(projectId, "a last")
      const [without, last] = [yield* sizes(projectId, "IS NULL"), yield* sizes(projectId, "IS NOT NULL")]
      expect(Math.max(...last)).toBeLessThan(Math.min(...without) / 2)
      yield* record
      expect(yield* messagesOf(projectId)).toEqual([...messages, "a last"].sort())
    }))

  test("belong to one week: a new week starts with its own", (projectId) =>
    Effect.gen(function* () {
      const before = yield* learn(projectId, "one")
      const more = Array.from({ length: 32 }, (_, i) => `a used ${i}`)
      yield* Effect.forEach(more, (message) => append(projectId, message))
      before.push(...more)
      yield* record
      yield* advance(7)
      // The first finds out that the week is over. Then its dictionary starts the next one.
      yield* append(projectId, "b first")
      yield* append(projectId, "b second")
      yield* until(Effect.map(dictionaries(projectId), (found) => found.length === 2))
      const [old, next] = (yield* dictionaries(projectId)).map(({ id }) => Number(id))
      yield* append(projectId, "b third")
      yield* record
      const used = yield* rowsOf(projectId, "id, dictionary_id", "dictionary_id IS NOT NULL")
      for (const row of used) expect(Number(row.dictionary_id)).toBe(Number(row.id) < next! ? old : next)
      yield* advance(7)
      const retention = yield* RetentionStore
      const run = yield* retention.request("errors", "requested", null)
      yield* retention.purgeDetails(run.id, DateTime.subtract(yield* (yield* Storage).now, { days: 7 }))
      const after = ["b first", "b second", "b third"]
      expect(yield* messagesOf(projectId)).toEqual([...after, ...before.map(() => "none")])
      expect((yield* dictionaries(projectId)).map(({ id }) => Number(id))).toEqual([next])
    }))

  test("missing from the database are not used, and later events are kept", (projectId) =>
    Effect.gen(function* () {
      yield* learn(projectId, "one")
      yield* record
      // As after a restore: neither the dictionary nor the segments that use it are there.
      yield* change(
        projectId,
        "DELETE FROM errata.segments",
        "(payloads_count = 0 OR dictionary_id IS NOT NULL)",
      )
      yield* append(projectId, "b after", "c after")
      expect(yield* withDictionary(projectId)).toEqual([])
      yield* record
      const messages = yield* messagesOf(projectId)
      expect(messages.filter((message) => message.endsWith("after"))).toEqual(["b after", "c after"])
      const isMade = Effect.map(dictionaries(projectId), (found) => found.length === 1)
      yield* appendUntil(projectId, "two", isMade)
    }))

  test("with other content under the same id are not used", (projectId) =>
    Effect.gen(function* () {
      yield* learn(projectId, "one")
      yield* record
      const [used] = (yield* withDictionary(projectId)).slice(-1)
      // As after a restore, when another node has made its own.
      yield* change(
        projectId,
        "UPDATE errata.segments SET index_bytes = index_bytes + 1",
        "payloads_count = 0",
      )
      yield* append(projectId, "b after")
      expect(yield* rowsOf(projectId, "id", `dictionary_id IS NOT NULL AND id > ${used!.id}`)).toEqual([])
      yield* record
      expect(yield* messagesOf(projectId)).toContain("b after")
    }))

  test("of a later week are not used after the clock is set back", (projectId) =>
    Effect.gen(function* () {
      yield* advance(7)
      yield* learn(projectId, "one")
      yield* record
      const uses = (yield* withDictionary(projectId)).length
      yield* advance(-7)
      yield* append(projectId, "b before")
      expect(yield* withDictionary(projectId)).toHaveLength(uses)
      yield* record
      expect(yield* messagesOf(projectId)).toContain("b before")
    }))

  test("that are damaged do not affect other projects and reports", (projectId) =>
    Effect.gen(function* () {
      const messages = yield* learn(projectId, "one")
      yield* record
      const { id: other } = yield* Given.project()
      yield* append(projectId, "b damaged")
      yield* append(other, "c intact")
      yield* change(
        projectId,
        String.raw`UPDATE errata.segments SET body = '\xdeadbeef'`,
        "payloads_count = 0",
      )
      const used = (yield* withDictionary(projectId)).length
      // The node that made it still knows it.
      yield* Effect.gen(function* () {
        yield* record
        expect(yield* messagesOf(other)).toEqual(["c intact"])
        const found = yield* messagesOf(projectId)
        expect(found.filter((message) => message === "damaged")).toHaveLength(used - 1)
        expect(found).toHaveLength(messages.length)
      }).pipe(Effect.provide(Layer.fresh(stores)))
    }))

  test("move with their week, and discards rewrite segments that use them", (projectId) =>
    Effect.gen(function* () {
      const messages = yield* learn(projectId, "one")
      yield* append(projectId, "b secret", "c kept")
      yield* record
      yield* advance(21)
      yield* archive
      expect(yield* rowsOf(projectId, "id")).toEqual([])
      expect(yield* messagesOf(projectId)).toEqual([...messages, "b secret", "c kept"].sort())
      const groups = yield* GroupStore
      const { items } = yield* groups.list(projectId, GroupFilter.all, page, yield* DateTime.now)
      const { id } = items.find(({ errorMessage }) => errorMessage === "b secret")!
      yield* (yield* Storage).transaction(
        Effect.gen(function* () {
          const [group] = yield* groups.lock(projectId, [id])
          yield* groups.remove(group!, null, yield* DateTime.now)
        }),
      )
      const later = DateTime.add(yield* DateTime.now, { hours: 1 })
      yield* Effect.repeat(groups.purge(100, later), { while: (purged) => purged > 0 })
      yield* advance(2)
      yield* archive
      expect(yield* messagesOf(projectId)).toEqual([...messages, "c kept"].sort())
    }))

  test("stay as long as dead letters need them", (projectId) =>
    Effect.gen(function* () {
      yield* learn(projectId, "one")
      yield* record
      const pending = yield* PendingPayloads
      yield* append(projectId, "b dead")
      const leased = yield* pending.lease({ payloads: 100, bytes: 2 ** 20, duration: Duration.minutes(1) })
      const dead = leased.flatMap((batch) => batch.payloads)
      yield* pending.addDeadLetters(
        dead.map((stored) => ({ ...stored, reason: "broken" })),
        { payloads: 100, bytes: 2 ** 20 },
        yield* DateTime.now,
      )
      yield* pending.remove(
        leased.map((batch) => ({
          projectId,
          batchId: batch.id,
          positions: [0],
          bytes: batch.payloads[0]!.payload.body.byteLength,
          whole: true,
        })),
      )
      yield* advance(21)
      yield* archive
      expect(yield* rowsOf(projectId, "id")).toHaveLength(2)
      const { items } = yield* pending.listDeadLetters(page)
      expect(items).toHaveLength(1)
      expect(yield* pending.retryDeadLetter(items[0]!.id)).toBe(true)
      yield* record
      expect((yield* messagesOf(projectId)).filter((message) => message.startsWith("b"))).toEqual(["b dead"])
      yield* archive
      expect(yield* rowsOf(projectId, "id")).toEqual([])
      expect(yield* messagesOf(projectId)).toContain("b dead")
    }))
})

// internal

const sizes = (projectId: ProjectId, dictionary: string) =>
  Effect.map(
    rowsOf(projectId, "octet_length(body) AS size", `payloads_count = 1 AND dictionary_id ${dictionary}`),
    (rows) => rows.map(({ size }) => Number(size)),
  )
