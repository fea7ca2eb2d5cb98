/** Rows of archived reports: their event ids in packs, and the dense index of their week. */
import { describe, expect, it } from "@effect/vitest"
import type { EventId, Group, ProjectId, ReportId } from "@errata/core"
import { type NewReport, ReportStore, RetentionStore, Storage } from "@errata/core/ports"
import { Factory, Given } from "@errata/testing"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Buckets from "../src/internal/Buckets.js"
import { advance, archive, nodeOfRunner, nodeWith, nodeWithBuckets } from "./support/archiving.js"
import { clusterUrl } from "./support/citus.js"
import * as Objects from "./support/objects.js"
import { readerOf } from "./support/reader.js"

const insert = (reports: ReadonlyArray<NewReport>) =>
  Effect.flatMap(ReportStore, (store) => store.insert(reports, Factory.noon))

const newReports = (group: Group, count: number) =>
  Array.from({ length: count }, () => Factory.newReport(group))

/** Reports of two projects in the same week, more than fit two packs. Ends when their generation is archived. */
const given = Effect.gen(function* () {
  const groups = [
    yield* Given.group((yield* Given.project()).id),
    yield* Given.group((yield* Given.project()).id),
  ]
  const reports = [...newReports(groups[0]!, 150), ...newReports(groups[1]!, 3)]
  const ids = yield* insert(reports)
  for (let week = 0; week < 6; week++) yield* advance(7)
  return { groups, reports, ids: ids as ReadonlyArray<ReportId> }
})

const idOf = ({ eventId }: NewReport["event"]) => eventId as EventId

const events = (reports: ReadonlyArray<NewReport>) =>
  reports.map(({ event, projectId }) => ({ projectId, eventId: idOf(event) }))

const located = (reports: ReadonlyArray<NewReport>) =>
  Effect.flatMap(ReportStore, (store) => store.locate(events(reports)))

/** The rows of all buckets. */
const rowsOf = (query: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(Buckets.inEach(sql, sql.unsafe<Record<string, unknown>>(query)), (rows) => rows.flat()),
  )

const countOf = (table: string) => Effect.map(rowsOf(`SELECT FROM errata.${table}`), (rows) => rows.length)

/** The events are found by their ids, and none is recorded again. */
const expectKnown = Effect.fnUntraced(function* ({ ids, reports }: Effect.Success<typeof given>) {
  const store = yield* ReportStore
  expect((yield* located(reports)).map((location) => location?.reportId)).toEqual(ids)
  expect(yield* insert(reports)).toEqual(ids.map(() => null))
  for (const i of [0, 63, 64, 149, 150, 152]) {
    const { event, projectId } = reports[i]!
    const found = yield* Effect.fromOption(yield* store.findByEventId(projectId, idOf(event)))
    expect(found.id).toBe(ids[i])
    expect(yield* store.projectsOfEvent(idOf(event), null)).toEqual([projectId])
  }
})

const expectUnknown = Effect.fnUntraced(function* (groups: ReadonlyArray<Group>) {
  const store = yield* ReportStore
  const others = groups.flatMap((group) => newReports(group, 200))
  expect(yield* located(others)).toEqual(others.map(() => null))
  expect((yield* store.findByEventId(groups[0]!.projectId, idOf(others[0]!.event)))._tag).toBe("None")
  expect((yield* insert(others)).every((id) => id !== null)).toBe(true)
})

const purgeReports = Effect.fnUntraced(function* (days: number) {
  const store = yield* RetentionStore
  const { id } = yield* store.request("errors", "requested", null)
  yield* store.begin(id, { timePurgeType: "full", before: null, bytesBefore: 0 })
  yield* store.purgeReports(id, DateTime.subtract(yield* (yield* Storage).now, { days }))
  yield* store.finish(id, { bytesAfter: 0, isWithinDiskLimit: null, failure: null })
})

const indexesOf = Effect.map(
  rowsOf(`
    SELECT tablename, string_agg(indexname, ' ' ORDER BY indexname) AS names FROM pg_indexes
    WHERE schemaname = 'errata' AND tablename LIKE 'reports_%' AND tablename <> 'reports_default'
      AND indexdef LIKE '%group_id, id)%'
    GROUP BY tablename ORDER BY tablename`),
  (rows) => rows.map(({ names, tablename }) => ({ table: tablename as string, names: names as string })),
)

describe("rows of archived reports", () => {
  it.live("move their event ids into packs, which detect repeated events", () =>
    Effect.gen(function* () {
      const sent = yield* given
      yield* expectKnown(sent)
      yield* archive()
      expect(yield* countOf("report_events")).toBe(0)
      expect(
        yield* rowsOf("SELECT sum(cardinality(hashes))::integer AS events FROM errata.event_packs"),
      ).toEqual([{ events: 153 }])
      expect(yield* countOf("event_packs")).toBe(4)
      yield* expectKnown(sent)
      yield* expectUnknown(sent.groups)
      yield* archive()
      yield* expectKnown(sent)
    }).pipe(Effect.provide(nodeWith(Objects.make()))),
  )

  const packed = Effect.gen(function* () {
    const sent = yield* given
    yield* archive()
    expect([yield* countOf("report_events"), yield* countOf("event_packs")]).toEqual([0, 4])
    yield* expectKnown(sent)
    yield* expectUnknown(sent.groups)
  })

  it.live("move their event ids into the packs of their bucket", () =>
    Effect.provide(packed, nodeWithBuckets(Objects.make())),
  )

  it.live.skipIf(clusterUrl === undefined)(
    "move their event ids into the packs of their bucket on a cluster",
    () => Effect.provide(packed, nodeWithBuckets(Objects.make(), true)),
    240_000,
  )

  it.live("are packed by a role that cannot migrate", () =>
    Effect.provide(packed, nodeOfRunner(Objects.make(), 0)),
  )

  it.live("are packed by a role that cannot migrate, in buckets", () =>
    Effect.provide(packed, nodeOfRunner(Objects.make(), 2)),
  )

  it.live("keep their event ids during an open read, and are packed later", () =>
    Effect.gen(function* () {
      const sent = yield* given
      const endOfReader = yield* readerOf("report_events")
      yield* archive()
      // Written, and not yet in use.
      expect([yield* countOf("event_packs"), yield* countOf("event_generations")]).toEqual([4, 0])
      yield* expectKnown(sent)
      yield* endOfReader
      yield* archive()
      expect([yield* countOf("event_packs"), yield* countOf("event_generations")]).toEqual([4, 2])
      yield* expectKnown(sent)
    }).pipe(Effect.provide(nodeWith(Objects.make()))),
  )

  it.live("are packed completely after an interruption", () =>
    Effect.gen(function* () {
      const sent = yield* given
      yield* archive()
      // As if the process had died after the first pack.
      const sql = yield* SqlClient.SqlClient
      const [first] = yield* sql<{ projectId: ProjectId; generation: number; last: EventId }>`
        SELECT project_id AS "projectId", generation, last_event_id AS last FROM errata.event_packs
        ORDER BY project_id, last_event_id LIMIT 1`
      yield* sql`DELETE FROM errata.event_generations`
      yield* sql`
        DELETE FROM errata.event_packs WHERE (project_id, last_event_id) <> (${first!.projectId}, ${first!.last}::uuid)`
      yield* sql`SELECT errata.make_partitions('report_events', 4)`
      const partition = `report_events_${yield* dayOf(first!.generation)}`
      yield* sql`CREATE TABLE ${sql(`errata.${partition}`)} (LIKE errata.report_events_default INCLUDING ALL)`
      yield* sql`
        INSERT INTO ${sql(`errata.${partition}`)}
        SELECT project_id, event_id, id FROM errata.reports WHERE id < errata.first_id(${first!.generation + 4})`
      yield* sql.unsafe(`
        ALTER TABLE errata.report_events ATTACH PARTITION errata.${partition}
        FOR VALUES FROM (${first!.generation * 1e10}) TO (${(first!.generation + 4) * 1e10})`)
      yield* expectKnown(sent)
      yield* archive()
      expect([yield* countOf("event_packs"), yield* countOf("event_generations")]).toEqual([4, 2])
      yield* expectKnown(sent)
    }).pipe(Effect.provide(nodeWith(Objects.make()))),
  )

  it.live("are deleted with their reports", () =>
    Effect.gen(function* () {
      const { groups, reports } = yield* given
      yield* archive()
      yield* advance(7 * 4)
      const later = newReports(groups[0]!, 5)
      yield* insert(later)
      yield* purgeReports(30)
      for (const table of ["event_packs", "event_generations"])
        expect([table, yield* countOf(table)]).toEqual([table, 0])
      expect(yield* located(reports)).toEqual(reports.map(() => null))
      expect((yield* located(later)).every((location) => location !== null)).toBe(true)
      // Their ids may be recorded again.
      expect((yield* insert(reports)).every((id) => id !== null)).toBe(true)
    }).pipe(Effect.provide(nodeWith(Objects.make()))),
  )

  it.live("are listed by a dense index in archived weeks, and by the usual index in other weeks", () =>
    Effect.gen(function* () {
      const { groups, ids } = yield* given
      const store = yield* ReportStore
      const [{ id, projectId }] = groups as [Group, Group]
      const page = { limit: 200, cursor: null }
      const list = store.list(projectId, id, { since: null, until: null }, page)
      const before = yield* list
      yield* archive()
      const indexes = yield* indexesOf
      const dense = indexes.filter(({ names, table }) => names === `${table}_dense`)
      expect(dense.length).toBeGreaterThanOrEqual(5)
      // The last finished week, the current one and those ahead.
      expect(indexes.filter(({ names }) => !names.includes("dense"))).toHaveLength(6)
      expect(indexes.every(({ names }) => !names.includes(" "))).toBe(true)
      expect(yield* list).toEqual(before)
      // All of them occurred at noon.
      const since = DateTime.subtract(Factory.noon, { hours: 1 })
      const until = DateTime.add(Factory.noon, { hours: 1 })
      expect(yield* store.list(projectId, id, { since, until }, page)).toEqual(before)
      for (const none of [
        { since: until, until: null },
        { since: null, until: since },
      ]) {
        expect((yield* store.list(projectId, id, none, page)).items).toEqual([])
      }
      expect(before.items.map(({ id }) => id)).toEqual(ids.slice(0, 150).toReversed())
      yield* archive()
      expect(yield* indexesOf).toEqual(indexes)
    }).pipe(Effect.provide(nodeWith(Objects.make()))),
  )
})

// The Monday of a week, as in names of partitions.
const dayOf = (week: number) =>
  Effect.map(
    rowsOf(`SELECT to_char(DATE '2000-01-03' + 7 * ${week}, 'YYYY_MM_DD') AS day`),
    ([row]) => row!["day"] as string,
  )
