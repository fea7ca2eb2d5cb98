/** Effects of retention on the tables during concurrent use: dropped weeks, locks, broken connections. */

import { expect, layer } from "@effect/vitest"
import { GroupFilter, type ProjectId } from "@errata/core"
import { Recorder, RecorderWorker } from "@errata/core/internal"
import { GroupStore, PendingPayloads, ReportStore, RetentionStore, Storage } from "@errata/core/ports"
import { Given, StorageClock, TestDecoder } from "@errata/testing"
import { Clock, DateTime, Deferred, Duration, Effect, Fiber, Layer, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import * as StorageClockLayer from "./support/clock.js"
import * as Node from "./support/node.js"
import { readerOf } from "./support/reader.js"

const node = Layer.provideMerge(StorageClockLayer.layer, Node.layer())
const recorder = Recorder.Default.pipe(Layer.provide(TestDecoder.layer))

/** Milliseconds that the clocks of the database and its nodes are ahead. */
let ahead = 0
const real = Clock.Clock.defaultValue()
const clock: Clock.Clock = Object.assign(Object.create(Object.getPrototypeOf(real)), real, {
  currentTimeMillisUnsafe: () => Date.now() + ahead,
  currentTimeMillis: Effect.sync(() => Date.now() + ahead),
})

const passWithoutRoom = Effect.fnUntraced(function* (days: number) {
  yield* (yield* StorageClock).advance(Duration.days(days))
  ahead += Duration.toMillis(Duration.days(days))
})

const pass = Effect.fnUntraced(function* (days: number) {
  yield* passWithoutRoom(days)
  yield* (yield* Storage).prepare
})

const send = (projectId: ProjectId, events: ReadonlyArray<TestDecoder.TestEvent>) =>
  Effect.gen(function* () {
    const receivedAt = (yield* DateTime.now).epochMilliseconds
    const pending = yield* PendingPayloads
    yield* pending.append(events.map((event) => TestDecoder.payload(projectId, event, { receivedAt })))
    yield* RecorderWorker.drain
  }).pipe(Effect.provide(recorder))

/** Removes the data of earlier tests. */
const empty = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`TRUNCATE errata.reports, errata.report_events, errata.attachments, errata.segments, errata.groups,
    errata.group_tags, errata.group_evidence, errata.grouping_keys, errata.group_merges, errata.group_parts,
    errata.uncounted, errata.pending_batches, errata.dead_letters, errata.retention_runs`),
)

const begun = Effect.gen(function* () {
  const store = yield* RetentionStore
  const { id } = yield* store.request("errors", "requested", null)
  yield* store.begin(id, { timePurgeType: "full", before: null, bytesBefore: yield* store.size })
  return id
})

/** Purges data older than `days` and returns the run. */
const purge = Effect.fnUntraced(function* (mode: "partial" | "full", days: number) {
  const store = yield* RetentionStore
  const id = yield* begun
  const before = DateTime.subtract(yield* (yield* Storage).now, { days })
  yield* mode === "partial"
    ? store.purgeDetails(id, before)
    : Effect.andThen(store.purgeReports(id, before), store.purgeGroups(id, before))
  yield* store.finish(id, { bytesAfter: yield* store.size, isWithinDiskLimit: null, failure: null })
  return yield* Effect.fromOption(yield* store.find(id))
})

const partitions = (table: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ name: string }>`
        SELECT relname AS name FROM pg_inherits JOIN pg_class ON oid = inhrelid
        WHERE inhparent = ${`errata.${table}`}::regclass AND relname <> ${`${table}_default`} ORDER BY 1`,
      (rows) => rows.map(({ name }) => name),
    ),
  )

const countOf = (table: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(sql<{ count: number }>`SELECT count(*) FROM ${sql(`errata.${table}`)}`, ([row]) => row!.count),
  )

/** Events with incompressible bodies of several kilobytes. */
const bulky = (count: number, group: string) =>
  Array.from({ length: count }, (_, i) => ({
    group,
    tags: { noise: Array.from({ length: 60 }, () => Math.random().toString(36)).join("") },
    message: `${group} ${i % 2}`,
  }))

const titles = (projectId: ProjectId, tag: { key: string; value: string } | null = null) =>
  Effect.gen(function* () {
    const groups = yield* GroupStore
    const filter = tag === null ? GroupFilter.all : { ...GroupFilter.all, tags: [tag] }
    const { items } = yield* groups.list(projectId, filter, { limit: 100, cursor: null }, yield* DateTime.now)
    return items.map(({ errorMessage }) => errorMessage).sort()
  })

layer(node, { excludeTestServices: true, timeout: "60 seconds" })("retention on PostgreSQL", (it) => {
  const test = (name: string, run: Effect.Effect<void, unknown, Layer.Success<typeof node> | Scope.Scope>) =>
    it.effect(name, () => Effect.provideService(Effect.andThen(empty, run), Clock.Clock, clock))

  test(
    "drops whole weeks of bodies, and frees their disk space",
    Effect.gen(function* () {
      const { id: projectId } = yield* Given.project()
      yield* send(projectId, bulky(300, "old"))
      yield* pass(60)
      yield* send(projectId, bulky(20, "new"))
      const reports = (yield* partitions("reports")).length
      const segments = (yield* partitions("segments")).length
      const run = yield* purge("partial", 30)
      expect((yield* partitions("reports")).length).toBe(reports)
      expect((yield* partitions("segments")).length).toBeLessThan(segments)
      expect(run.removed.partitions).toBeGreaterThan(0)
      expect(run.removed.bytes).toBeGreaterThan(300 * 500)
      expect(run.bytesBefore! - run.bytesAfter!).toBeGreaterThan(300 * 500)
      expect(yield* countOf("reports")).toBe(320)
    }),
  )

  test(
    "drops whole weeks of all tables, and the ids of events in steps of four weeks",
    Effect.gen(function* () {
      const { id: projectId } = yield* Given.project()
      yield* send(projectId, bulky(50, "old"))
      yield* pass(63)
      yield* send(projectId, bulky(5, "new"))
      const run = yield* purge("full", 30)
      expect(run.removed).toMatchObject({ reports: 50, groups: 1, postponed: 0 })
      expect(run.bytesBefore! - run.bytesAfter!).toBeGreaterThan(0)
      expect([
        yield* countOf("reports"),
        yield* countOf("report_events"),
        yield* countOf("retention_marks"),
      ]).toEqual([5, 5, 0])
      for (const table of ["reports", "segments", "attachments"]) {
        const [oldest] = yield* partitions(table)
        expect(oldest! >= `${table}_${(yield* mondayBefore(30)).replaceAll("-", "_")}`).toBe(true)
      }
      for (const table of ["group_tags", "group_evidence", "grouping_keys"]) {
        const sql = yield* SqlClient.SqlClient
        const strays = yield* sql`
          SELECT FROM ${sql(`errata.${table}`)} AS t
          WHERE NOT EXISTS (SELECT FROM errata.groups AS g WHERE g.id = t.group_id)`
        expect([table, strays.length]).toEqual([table, 0])
      }
      yield* send(projectId, bulky(5, "old"))
      expect(yield* countOf("reports")).toBe(10)
    }),
  )

  test(
    "deletes rows of weeks without a partition one by one",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id: projectId } = yield* Given.project()
      yield* passWithoutRoom(70)
      yield* send(projectId, [{ group: "old", attachments: ["a.txt"] }])
      // As if there were too many rows to move: the week stays in the default partition.
      for (const table of ["reports", "report_events", "attachments", "segments"]) {
        expect([table, yield* countOf(`${table}_default`)]).toEqual([table, 1])
      }
      yield* pass(70)
      const run = yield* purge("full", 30)
      expect(run.removed).toMatchObject({ reports: 1, groups: 1 })
      for (const table of ["reports", "report_events", "attachments", "segments"]) {
        expect([table, yield* countOf(`${table}_default`)]).toEqual([table, 0])
      }
      const [row] = yield* sql<{ count: number }>`SELECT count(*) FROM errata.uncounted`
      expect(row!.count).toBe(0)
    }),
  )

  test(
    "moves bodies of dead letters, without blocking writers behind a reader",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const pending = yield* PendingPayloads
      const { id: projectId } = yield* Given.project()
      yield* send(projectId, [...bulky(3, "old"), { fault: "undecodable" }])
      const [letter] = (yield* pending.listDeadLetters({ limit: 1, cursor: null })).items
      yield* pass(60)
      const end = yield* readerOf("segments")
      const fiber = yield* Effect.forkChild(purge("partial", 30))
      // Writers only wait for moments: their lock timeout is 5 seconds.
      for (let i = 0; i < 5; i++) yield* send(projectId, bulky(2, "meanwhile"))
      const run = yield* Fiber.join(fiber)
      expect(run.removed.postponed).toBeGreaterThan(0)
      yield* end
      const again = yield* purge("partial", 30)
      expect(again.removed.postponed).toBe(0)
      expect(yield* countOf("segments_default")).toBe(1)
      expect(yield* pending.retryDeadLetter(letter!.id)).toBe(true)
      const leased = yield* pending.leaseSuspect([Duration.seconds(1)])
      expect((yield* Effect.fromOption(leased)).payloads).toHaveLength(1)
      yield* sql`DELETE FROM errata.pending_batches`
      yield* purge("partial", 30)
      expect(yield* countOf("segments_default")).toBe(0)
    }),
  )

  test(
    "hides reports of a week that cannot be dropped, and drops it later",
    Effect.gen(function* () {
      const { id: projectId } = yield* Given.project()
      yield* send(projectId, [{ group: "a", message: "a", tags: { region: "eu" } }])
      yield* pass(60)
      yield* send(projectId, [{ group: "a", message: "a" }])
      const before = (yield* partitions("reports")).length
      const end = yield* readerOf("reports")
      const run = yield* purge("full", 30)
      expect(run.removed.reports).toBe(1)
      expect(run.removed.postponed).toBeGreaterThan(0)
      expect(yield* countOf("reports")).toBe(1)
      expect(yield* titles(projectId, { key: "region", value: "eu" })).toEqual([])
      yield* end
      expect((yield* purge("full", 30)).removed).toMatchObject({ reports: 0, postponed: 0 })
      expect((yield* partitions("reports")).length).toBeLessThan(before)
    }),
  )

  test(
    "continues after its connection was terminated, and counts everything once",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const first = yield* Given.project()
      const second = yield* Given.project()
      const events = (region: string, count: number) =>
        Array.from({ length: count }, (_, i) => ({
          group: `g${i % 7}`,
          message: `g${i % 7}`,
          tags: { region },
        }))
      for (const { id } of [first, second]) yield* send(id, events("eu", 600))
      yield* pass(60)
      for (const { id } of [first, second]) yield* send(id, [...events("eu", 7), ...events("apac", 7)])
      const store = yield* RetentionStore
      const id = yield* begun
      const before = DateTime.subtract(yield* (yield* Storage).now, { days: 30 })

      // The first project is done when it waits for a group of the second one.
      const held = yield* Deferred.make<void>()
      const end = yield* Deferred.make<void>()
      const holder = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`SELECT FROM errata.groups WHERE project_id = ${second.id} FOR UPDATE`
            yield* Deferred.succeed(held, undefined)
            yield* Deferred.await(end)
          }),
        ),
      )
      yield* Deferred.await(held)
      const purging = yield* Effect.forkChild(store.purgeReports(id, before))
      const ended = yield* Effect.repeat(
        sql`
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        { until: (rows) => rows.length > 0 },
      )
      expect(ended).toHaveLength(1)
      expect((yield* Fiber.await(purging))._tag).toBe("Failure")
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(holder)
      expect((yield* Effect.fromOption(yield* store.find(id))).removed.reports).toBe(600)

      yield* store.purgeReports(id, before)
      yield* store.purgeGroups(id, before)
      expect((yield* Effect.fromOption(yield* store.find(id))).removed.reports).toBe(1200)
      expect(yield* countOf("reports")).toBe(28)
      yield* store.finish(id, { bytesAfter: 0, isWithinDiskLimit: null, failure: null })
      const tags = yield* sql<{ value: string; count: number }>`
        SELECT value, sum(count)::bigint AS count FROM errata.group_tags WHERE key = 'region' GROUP BY 1 ORDER BY 1`
      expect(tags.map(({ count, value }) => [value, Number(count)])).toEqual([
        ["apac", 14],
        ["eu", 14],
      ])
    }),
  )

  test(
    "does not drop current weeks, or tables without weekly partitions",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const drop = (table: string, weeks: number) =>
        Effect.isSuccess(
          sql`SELECT errata.drop_partition(${table}, errata.week_of(errata.now()) + ${weeks}::integer)`,
        )
      expect([yield* drop("reports", 0), yield* drop("reports", 1), yield* drop("groups", -9)]).toEqual([
        false,
        false,
        false,
      ])
      expect(yield* drop("report_events", -3)).toBe(false)
    }),
  )

  test(
    "leaves consistent lists, details and filters after any history, during recording",
    Effect.gen(function* () {
      const step = fc.oneof(
        fc.record({ report: fc.nat(3), tag: fc.nat(2) }),
        fc.record({ pass: fc.constantFrom(1, 3, 8, 20) }),
        fc.record({ merge: fc.nat(3), into: fc.nat(3) }),
        fc.record({
          purge: fc.constantFrom("partial" as const, "full" as const),
          days: fc.constantFrom(2, 9, 25),
        }),
      )
      const histories = fc.sample(fc.array(step, { minLength: 12, maxLength: 18 }), {
        numRuns: 4,
        seed: 20_261_122,
      })
      for (const history of histories) {
        const { id: projectId } = yield* Given.project()
        for (const each of history) {
          if ("report" in each) {
            const group = `g${each.report}`
            yield* send(projectId, [
              { group, message: group, tags: { t: `v${each.tag}` }, attachments: ["a.txt"] },
            ])
          } else if ("pass" in each) yield* pass(each.pass)
          else if ("purge" in each) {
            yield* purge(each.purge, each.days)
            yield* agrees(projectId)
          } else yield* mergeIfThere(projectId, each.into, each.merge)
        }
        yield* purge("full", 2)
        yield* agrees(projectId)
        yield* send(projectId, [{ group: "last", message: "last", tags: { t: "last" } }])
        expect(yield* titles(projectId, { key: "t", value: "last" })).toEqual(["last"])
        yield* agrees(projectId)
      }
    }),
  )
})

// internal

const mondayBefore = (days: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ monday: string }>`
        SELECT to_char(date_trunc('week', (errata.now() - ${days}::integer * INTERVAL '1 day') AT TIME ZONE 'UTC'),
          'YYYY-MM-DD') AS monday`,
      ([row]) => row!.monday,
    ),
  )

const mergeIfThere = Effect.fnUntraced(function* (projectId: ProjectId, into: number, source: number) {
  const groups = yield* GroupStore
  const { items } = yield* groups.list(
    projectId,
    GroupFilter.all,
    { limit: 100, cursor: null },
    yield* DateTime.now,
  )
  const find = (number: number) => items.find(({ errorMessage }) => errorMessage === `g${number}`)
  const [a, b] = [find(into), find(source)]
  if (a !== undefined && b !== undefined && a !== b) yield* Given.merge(a, b)
})

/** Checks that every group has a report, every lookup finds it, and tag filters match its tags. */
const agrees = Effect.fnUntraced(function* (projectId: ProjectId) {
  const groups = yield* GroupStore
  const reports = yield* ReportStore
  const page = { limit: 100, cursor: null }
  const range = { since: null, until: null }
  const now = yield* DateTime.now
  const { items } = yield* groups.list(projectId, GroupFilter.all, page, now)
  const tagged = new Map<string, Set<number>>([0, 1, 2].map((tag) => [`v${tag}`, new Set()]))
  for (const group of items) {
    const listed = yield* reports.list(projectId, group.id, range, page)
    expect(listed.items.length).toBeLessThanOrEqual(group.reportsCount)
    for (const report of listed.items) {
      const found = yield* Effect.fromOption(yield* reports.find(projectId, group.id, report.id))
      expect(found.isPurged).toBe(found.payload === null)
      const { attachments, frames, isPurged, payload, release, unreadable, ...summary } = found
      expect(summary).toEqual(report)
      expect((yield* Effect.fromOption(yield* reports.findByEventId(projectId, report.eventId!))).id).toBe(
        report.id,
      )
      for (const { value } of report.tags) tagged.get(value)?.add(group.id)
    }
  }
  for (const [value, ids] of tagged) {
    const filter = { ...GroupFilter.all, tags: [{ key: "t", value }] }
    const found = yield* groups.list(projectId, filter, page, now)
    expect([value, new Set(found.items.map(({ id }) => id as number))]).toEqual([value, ids])
  }
})
