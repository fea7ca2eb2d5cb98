import { describe, expect, it } from "@effect/vitest"
import type { EventId, Group, ReportId } from "@errata/core"
import { type NewReport, PendingPayloads, ProjectStore, ReportStore, Storage } from "@errata/core/ports"
import { Factory, Given, StorageClock } from "@errata/testing"
import { Clock, DateTime, Deferred, Duration, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { weekly } from "../src/internal/Weeks.js"
import * as StorageClockLayer from "./support/clock.js"
import * as Node from "./support/node.js"
import { explain } from "./support/plans.js"

const node = Layer.provideMerge(StorageClockLayer.layerAtMidweek, Node.layer())

const advance = (weeks: number) =>
  Effect.flatMap(StorageClock, (clock) => clock.advance(Duration.days(7 * weeks)))
const prepare = Effect.flatMap(Storage, (storage) => storage.prepare)

const newGroup = Effect.flatMap(Given.project(), ({ id }) => Given.group(id))

const insert = (...reports: ReadonlyArray<NewReport>) =>
  Effect.flatMap(ReportStore, (store) => store.insert(reports, Factory.noon))
const insertOne = (group: Group) => Effect.map(insert(Factory.newReport(group)), ([id]) => id!)

const weekOf = (id: number) => Math.floor(id / 1e10)

/** Mondays of the database's week and the next ones, in the format of partition names. */
const mondays = (count: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ monday: string }>`
      SELECT to_char(date_trunc('week', errata.now() AT TIME ZONE 'UTC') + i * INTERVAL '7 days', 'YYYY_MM_DD') AS monday
      FROM generate_series(0, ${count - 1}) AS i`,
  ).pipe(Effect.map((rows) => rows.map(({ monday }) => monday)))

const partitionsOf = (table: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ name: string }>`
      SELECT relname AS name FROM pg_inherits JOIN pg_class ON oid = inhrelid
      WHERE inhparent = ${`errata.${table}`}::regclass ORDER BY 1`,
  ).pipe(Effect.map((rows) => rows.map(({ name }) => name)))

/** Number of rows in the default partition. */
const strays = (table: keyof typeof weekly) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ count: number }>`SELECT count(*) FROM ${sql(`errata.${table}_default`)}`,
  ).pipe(Effect.map(([row]) => row!.count))

/** Waits until a statement is blocked by a lock. */
const someoneWaits = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.repeat(
    sql<{ waiting: number }>`
      SELECT count(*) AS waiting FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    { until: ([row]) => row!.waiting > 0 },
  ),
)

describe("partitions by week", () => {
  it.live("are named by their Mondays, and created ahead by several nodes concurrently", () =>
    Effect.gen(function* () {
      const tables = ["reports", "attachments", "segments"]
      const earlier = new Set((yield* Effect.forEach([...tables, "report_events"], partitionsOf)).flat())
      const madeOf = (table: string) =>
        Effect.map(partitionsOf(table), (names) => names.filter((name) => !earlier.has(name)))
      yield* advance(20)
      yield* prepare
      for (const table of tables) {
        expect(yield* madeOf(table)).toEqual((yield* mondays(5)).map((monday) => `${table}_${monday}`))
      }
      // They span four weeks each: this week is in the first, the weeks ahead are in it or the next.
      expect(yield* madeOf("report_events")).toHaveLength(2)
      const before = yield* partitionsOf("reports")
      yield* advance(3)
      yield* Effect.all([prepare, prepare, prepare], { concurrency: "unbounded" })
      const after = yield* partitionsOf("reports")
      expect(after).toHaveLength(before.length + 3)
      expect(after).toEqual(expect.arrayContaining((yield* mondays(5)).map((monday) => `reports_${monday}`)))
      yield* prepare
      expect(yield* partitionsOf("reports")).toEqual(after)
    }).pipe(Effect.provide(node)),
  )

  it.live("are created like the default one, also by roles that do not own it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [fn] = yield* sql`
        SELECT prosecdef AS "asOwner", proconfig @> ARRAY['search_path=pg_catalog, pg_temp'] AS "isFixed"
        FROM pg_proc WHERE oid = 'errata.make_partitions'::regproc`
      expect(fn).toEqual({ asOwner: true, isFixed: true })
      for (const table of Object.keys(weekly)) {
        const made = yield* sql<{ options: string; indexes: string }>`
          SELECT c.reloptions::text || coalesce(t.reloptions::text, '') AS options, (
            SELECT string_agg(regexp_replace(indexdef, '^.* USING ', ''), '; ' ORDER BY indexdef) FROM (
              SELECT regexp_replace(pg_get_indexdef(indexrelid), '^(CREATE (UNIQUE )?INDEX ).* USING ', '\\1')
              FROM pg_index WHERE indrelid = c.oid) AS i (indexdef)
          ) AS indexes
          FROM pg_inherits JOIN pg_class AS c ON c.oid = inhrelid LEFT JOIN pg_class AS t ON t.oid = c.reltoastrelid
          WHERE inhparent = ${`errata.${table}`}::regclass`
        expect(made).toHaveLength(table === "report_events" ? 3 : 6)
        expect(new Set(made.map((partition) => JSON.stringify(partition))).size).toBe(1)
      }
    }).pipe(Effect.provide(node)),
  )

  it.live("hold reports by the week of their receipt, and all of them are found", () =>
    Effect.gen(function* () {
      const reports = yield* ReportStore
      const pending = yield* PendingPayloads
      const group = yield* newGroup
      const ids: Array<ReportId> = []
      for (let week = 0; week < 8; week++) {
        ids.unshift(yield* insertOne(group), yield* insertOne(group))
        yield* pending.append([Factory.payload(group.projectId)])
        yield* advance(1)
        yield* prepare
      }
      expect(new Set(ids.map(weekOf)).size).toBe(8)
      expect(Math.max(...ids)).toBeLessThan(Number.MAX_SAFE_INTEGER)
      for (const table of Object.keys(weekly)) expect(yield* strays(table as keyof typeof weekly)).toBe(0)
      const listed: Array<ReportId> = []
      let cursor: number | null = null
      do {
        const page: { items: ReadonlyArray<{ id: ReportId }>; nextCursor: number | null } =
          yield* reports.list(group.projectId, group.id, { since: null, until: null }, { limit: 3, cursor })
        listed.push(...page.items.map(({ id }) => id))
        cursor = page.nextCursor
      } while (cursor !== null)
      // Pairs were inserted in order.
      expect(listed).toEqual([...ids].sort((a, b) => b - a))
      for (const id of ids) yield* Effect.fromOption(yield* reports.find(group.projectId, group.id, id))
    }).pipe(Effect.provide(node)),
  )

  it.live("may be missing: rows without one move into it later", () =>
    Effect.gen(function* () {
      const reports = yield* ReportStore
      const group = yield* newGroup
      yield* advance(20)
      const report = Factory.newReport(group)
      const [id] = yield* insert(report)
      const attachment = { filename: "a.txt", contentType: "text/plain", type: "event.attachment", size: 1 }
      const place = { segmentId: 1, position: 0 }
      yield* reports.addAttachments([
        { ...attachment, projectId: group.projectId, reportId: id!, place, index: 0 },
      ])
      const found = yield* Effect.fromOption(yield* reports.find(group.projectId, group.id, id!))
      expect([
        yield* strays("reports"),
        yield* strays("report_events"),
        yield* strays("attachments"),
      ]).toEqual([1, 1, 1])

      yield* prepare
      expect([
        yield* strays("reports"),
        yield* strays("report_events"),
        yield* strays("attachments"),
      ]).toEqual([0, 0, 0])
      expect(yield* partitionsOf("reports")).toContain(`reports_${(yield* mondays(1))[0]}`)
      expect(yield* Effect.fromOption(yield* reports.find(group.projectId, group.id, id!))).toEqual(found)
      expect(yield* insert(report)).toEqual([null])
    }).pipe(Effect.provide(node)),
  )

  it.live("do not take over a week with too many rows in the default partition", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const group = yield* newGroup
      yield* advance(20)
      yield* sql`
        INSERT INTO errata.report_events (project_id, event_id, report_id)
        SELECT ${group.projectId}, gen_random_uuid(), errata.first_id(errata.week_of(errata.now())) + i
        FROM generate_series(1, 100001) AS i`
      const report = Factory.newReport(group)
      yield* insert(report)
      yield* prepare
      expect(yield* strays("report_events")).toBe(100_002)
      // New partitions are created, and lookups work wherever the rows are.
      expect(yield* partitionsOf("report_events")).toHaveLength(4)
      expect(yield* insert(report)).toEqual([null])
      yield* advance(4)
      expect(yield* insert(report)).toEqual([null])
      yield* insertOne(group)
      expect(yield* strays("report_events")).toBe(100_002)
    }).pipe(Effect.provide(node)),
  )

  it.live("keep the rows of other projects during a purge", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const projects = yield* ProjectStore
      const [gone, kept] = [yield* newGroup, yield* newGroup]
      // In each week, rows of both projects are at the same place of the partition.
      for (const groups of [
        [gone, kept],
        [kept, gone],
        [gone, gone],
        [kept, kept],
      ]) {
        for (const group of groups) yield* insertOne(group)
        yield* advance(1)
      }
      yield* projects.remove(gone.projectId, yield* DateTime.now)
      while ((yield* projects.purge(3, yield* DateTime.now)) > 0);
      for (const table of ["reports", "report_events"]) {
        expect(yield* sql`SELECT project_id, count(*) FROM ${sql(`errata.${table}`)} GROUP BY 1`).toEqual([
          { project_id: kept.projectId, count: 4 },
        ])
      }
    }).pipe(Effect.provide(node)),
  )
})

describe("an event", () => {
  it.live("is known in later weeks", () =>
    Effect.gen(function* () {
      const reports = yield* ReportStore
      const group = yield* newGroup
      const [first, second, third] = [1, 2, 3].map(() => Factory.newReport(group))
      const [id] = yield* insert(first!)
      yield* advance(1)
      expect(yield* insert(second!, first!)).toEqual([expect.any(Number), null])
      yield* advance(5)
      expect(yield* insert(first!, third!, second!)).toEqual([null, expect.any(Number), null])
      const eventId = first!.event.eventId as EventId
      expect((yield* Effect.fromOption(yield* reports.findByEventId(group.projectId, eventId))).id).toBe(id)
      expect(yield* reports.locate([{ projectId: group.projectId, eventId }])).toEqual([
        { reportId: id, groupId: group.id },
      ])
    }).pipe(Effect.provide(node)),
  )

  it.live("is found as the latest report of its group, also after many weeks", () =>
    Effect.gen(function* () {
      const reports = yield* ReportStore
      const old = yield* newGroup
      const recent = yield* Given.group(old.projectId)
      yield* insert(Factory.newReport(recent, { environment: "before" }))
      yield* insert(Factory.newReport(old, { environment: "long ago", release: "1.0.0" }))
      yield* advance(9)
      yield* insert(Factory.newReport(recent, { environment: "now" }))
      const now = (yield* Clock.currentTimeMillis) + Duration.toMillis(Duration.weeks(9))
      const latest = TestClock.setTime(now).pipe(
        Effect.andThen(reports.latest(old.projectId, [old.id, recent.id])),
        Effect.provide(TestClock.layer()),
      )
      expect(yield* latest).toEqual([
        { groupId: recent.id, environment: "now", releaseVersion: "" },
        { groupId: old.id, environment: "long ago", releaseVersion: "1.0.0" },
      ])
    }).pipe(Effect.provide(node)),
  )

  const atTheTurn = Effect.fnUntraced(function* (weeks: number, outcome: "commits" | "fails") {
    const { transaction } = yield* Storage
    const group = yield* newGroup
    const report = Factory.newReport(group)
    const inserted = yield* Deferred.make<void>()
    const end = yield* Deferred.make<void>()
    const before = yield* insert(report).pipe(
      Effect.tap(() => Deferred.succeed(inserted, undefined)),
      Effect.tap(() => Deferred.await(end)),
      Effect.tap(() => (outcome === "fails" ? Effect.fail("undone" as const) : Effect.void)),
      transaction,
      Effect.result,
      Effect.forkChild,
    )
    yield* Deferred.await(inserted)
    yield* advance(weeks)
    const after = yield* Effect.forkChild(insert(report))
    yield* someoneWaits
    yield* Deferred.succeed(end, undefined)
    yield* Fiber.join(before)
    return yield* Fiber.join(after)
  })

  it.live("is stored once if a week ends between two transactions that store it", () =>
    Effect.gen(function* () {
      // Four weeks are a generation, whose unique index does not cover the others.
      for (const weeks of [1, 4]) {
        expect(yield* atTheTurn(weeks, "commits")).toEqual([null])
        expect(yield* atTheTurn(weeks, "fails")).toEqual([expect.any(Number)])
      }
    }).pipe(Effect.provide(node)),
  )

  it.live("is stored in the week in which its transaction began to write", () =>
    Effect.gen(function* () {
      const { transaction } = yield* Storage
      const group = yield* newGroup
      const [first, second] = yield* transaction(
        Effect.gen(function* () {
          const first = yield* insertOne(group)
          yield* advance(1)
          return [first, yield* insertOne(group)] as const
        }),
      )
      expect(weekOf(second)).toBe(weekOf(first))
      expect(weekOf(yield* insertOne(group))).toBe(weekOf(first) + 1)
    }).pipe(Effect.provide(node)),
  )
})

describe("plans with eight weeks", () => {
  const scansOf = (scanned: ReadonlyMap<string, number>, table: string) =>
    [...scanned.keys()].filter((name) => name.startsWith(`${table}_`) && !name.startsWith("report_events"))

  const filled = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const pending = yield* PendingPayloads
    const group = yield* newGroup
    const ids: Array<ReportId> = []
    for (let week = 0; week < 8; week++) {
      if (week > 0) yield* advance(1)
      yield* prepare
      yield* pending.append([Factory.payload(group.projectId)])
      const [segment] = yield* sql<{ id: number }>`SELECT max(id) AS id FROM errata.segments`
      const place = { segmentId: segment!.id, position: 0 }
      const many = Array.from({ length: 40 }, () => ({ ...Factory.newReport(group), place }))
      ids.push((yield* insert(...many))[0]!)
    }
    // Statistics for the planner: it would scan tables this small as a whole.
    yield* sql.unsafe("ANALYZE errata.reports, errata.segments, errata.report_events")
    return { group, ids }
  })

  it.live("read one partition for one report", () =>
    Effect.gen(function* () {
      const reports = yield* ReportStore
      const { group, ids } = yield* filled
      for (const id of [ids[0]!, ids[7]!]) {
        const { result, statements } = yield* explain(reports.find(group.projectId, group.id, id))
        expect((yield* Effect.fromOption(result)).payload).not.toBeNull()
        expect(statements).toHaveLength(2)
        for (const { scanned } of statements) {
          for (const table of ["reports", "segments", "attachments"]) {
            expect(scansOf(scanned, table).length).toBeLessThanOrEqual(1)
          }
        }
        const { statements: byEvent } = yield* explain(
          reports.findByEventId(group.projectId, (yield* Effect.fromOption(result)).eventId!),
        )
        for (const table of ["reports", "segments"])
          expect(scansOf(byEvent[0]!.scanned, table)).toHaveLength(1)
      }
    }).pipe(Effect.provide(node)),
  )

  it.live("read a page from adjacent weeks", () =>
    Effect.gen(function* () {
      const reports = yield* ReportStore
      const { group, ids } = yield* filled
      // The first page uses the node's clock, which is not set ahead.
      const page = (cursor: number | null) =>
        explain(reports.list(group.projectId, group.id, { since: null, until: null }, { limit: 25, cursor }))
      const last = yield* page(ids[7]!)
      expect(last.result.items).toHaveLength(25)
      expect(last.statements).toHaveLength(1)
      const newest = last.result.items[0]!.id
      expect(weekOf(newest)).toBe(weekOf(ids[6]!))
      expect(scansOf(last.statements[0]!.scanned, "reports").length).toBeLessThanOrEqual(5)
      const deep = yield* page(ids[4]!)
      const names = scansOf(deep.statements[0]!.scanned, "reports")
      expect(deep.result.items).toHaveLength(25)
      expect(deep.statements).toHaveLength(1)
      expect(names.length).toBeLessThanOrEqual(5)
      const oldest = yield* page(ids[1]!)
      expect(oldest.result.items).toHaveLength(25)
    }).pipe(Effect.provide(node)),
  )

  it.live("read only one page of a group with many reports, also with empty weeks between", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const reports = yield* ReportStore
      const group = yield* newGroup
      for (let weeks = 0; weeks < 4; weeks++) {
        if (weeks > 0) yield* Effect.andThen(advance(1), prepare)
        const [first] = yield* insert(...Array.from({ length: 1_000 }, () => Factory.newReport(group)))
        const week = weekOf(first!)
        // Many groups, so that the planner expects few reports of this one.
        yield* sql`
          INSERT INTO errata.reports (id, project_id, group_id, event_id, error_type, error_message, culprit,
            occurred_at, platform, severity, handled, server_name, environment, tags, created_at)
          SELECT errata.first_id(${week}) + 1000000 + i, ${group.projectId}, 1000000 + i, gen_random_uuid(), '', '', '',
            now(), '', 3, true, '', '', '', now()
          FROM generate_series(1, 2000) AS i`
      }
      // Vacuum until the visibility maps are complete: only then are index-only scans the cheapest plan. Transactions
      // of other tests may delay it.
      yield* Effect.repeat(
        Effect.andThen(
          sql.unsafe("VACUUM (ANALYZE) errata.reports"),
          sql<{ seen: number }>`
            SELECT count(*) AS seen FROM pg_inherits JOIN pg_class AS c ON c.oid = inhrelid
            WHERE inhparent = 'errata.reports'::regclass AND c.relallvisible > 0 AND c.relallvisible = c.relpages`,
        ),
        { until: ([row]) => row!.seen === 4 },
      )
      const page = { limit: 25, cursor: null }
      const { result, statements } = yield* explain(
        reports.list(group.projectId, group.id, { since: null, until: null }, page),
      )
      expect(result.items).toHaveLength(25)
      const rows = statements.flatMap((statement) => [...statement.rows])
      const read = rows.filter(([name]) => name.startsWith("reports_"))
      // Index entries, plus one per week, and the rows themselves.
      expect(read.reduce((sum, [, count]) => sum + count, 0)).toBeLessThan(100)
    }).pipe(Effect.provide(node)),
  )
})
