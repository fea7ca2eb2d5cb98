/** Checks on tables partitioned by project that statements of one project read only its own rows. */

import { expect, it } from "@effect/vitest"
import { type EventId, type Group, GroupFilter, type ListedGroup, type ProjectId } from "@errata/core"
import { Recorder, RecorderWorker } from "@errata/core/internal"
import {
  ActivityStore,
  AlertStore,
  DeliveryStore,
  GroupLifecycle,
  GroupStore,
  MemberMailStore,
  NoteStore,
  PendingPayloads,
  ProjectStore,
  ReportStore,
  Storage,
} from "@errata/core/ports"
import { Factory, Given, TestDecoder } from "@errata/testing"
import { DateTime, Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { weekly } from "../src/internal/Weeks.js"
import * as Node from "./support/node.js"
import { type Explained, explain } from "./support/plans.js"

const partitions = 8

/** Tables with rows of projects, except for small ones with foreign keys. */
const bigTables = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ name: string }>`
    SELECT c.relname AS name FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
    WHERE c.relnamespace = 'errata'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND a.attname = 'project_id'
      AND NOT EXISTS (SELECT FROM pg_constraint WHERE contype = 'f' AND (conrelid = c.oid OR confrelid = c.oid))
    ORDER BY 1`,
).pipe(Effect.map((rows) => rows.map(({ name }) => name)))

/** Recreates tables with the same columns and indexes, hash-partitioned by project. */
const distribute = (tables: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    for (const table of tables) {
      yield* sql.unsafe(`ALTER TABLE errata.${table} RENAME TO replaced`)
      const model = table in weekly ? `${table}_default` : "replaced"
      yield* sql.unsafe(
        `CREATE TABLE errata.${table} (LIKE errata.${model} INCLUDING ALL) PARTITION BY HASH (project_id)`,
      )
      for (let i = 0; i < partitions; i++) {
        yield* sql.unsafe(
          `CREATE TABLE errata.${table}__${i} PARTITION OF errata.${table}
           FOR VALUES WITH (MODULUS ${partitions}, REMAINDER ${i})`,
        )
      }
      yield* sql.unsafe(`DROP TABLE errata.replaced`)
    }
  })

/** Returns the statements that read several partitions of a table. */
const scattered = (statements: ReadonlyArray<Explained>) =>
  statements.flatMap(({ scanned, statement }) => {
    const touched = new Map<string, Array<string>>()
    for (const name of scanned.keys()) {
      const [table, partition] = name.split("__")
      if (partition !== undefined) touched.set(table!, [...(touched.get(table!) ?? []), partition])
    }
    return [...touched]
      .filter(([, some]) => some.length > 1)
      .map(([table, some]) => `${table}: ${some.length} partitions\n${statement}`)
  })

const page = { limit: 10, cursor: null }
const recorder = Recorder.Default.pipe(Layer.provide(TestDecoder.layer))

const send = (projectId: ProjectId, event: TestDecoder.TestEvent) =>
  Effect.map(DateTime.now, (now) =>
    TestDecoder.payload(projectId, event, { receivedAt: now.epochMilliseconds }),
  )

/** Accepts and records events with all kinds of items. */
const fill = (projectId: ProjectId) =>
  Effect.gen(function* () {
    const pending = yield* PendingPayloads
    const payloads = yield* Effect.forEach(["a", "b", "a", "c"], (group, i) =>
      send(projectId, {
        group,
        message: `${group} broke here`,
        release: `1.${i}`,
        environment: "production",
        serverName: "web-1",
        tags: { region: i % 2 === 0 ? "eu" : "us" },
        attachments: ["log.txt"],
        discarded: [{ reason: "sample_rate", category: "error", quantity: 2 }],
      }),
    )
    yield* pending.append(payloads)
    yield* RecorderWorker.drain
    const [first] = payloads
    // A duplicate, and items for an event that is already recorded.
    const { eventId } = first!
    const feedback = { eventId: eventId as EventId, name: "", email: "", comments: "it broke" }
    const more = yield* send(projectId, { group: null, feedback: [feedback], attachments: ["screen.png"] })
    yield* pending.append([{ ...first! }, more])
    yield* RecorderWorker.drain
    return eventId as EventId
  }).pipe(Effect.provide(recorder))

const read = Effect.fnUntraced(function* (projectId: ProjectId, eventId: EventId) {
  const groups = yield* GroupStore
  const reports = yield* ReportStore
  const projects = yield* ProjectStore
  const now = yield* DateTime.now
  const list = (filter: GroupFilter.GroupFilter) =>
    Effect.map(groups.list(projectId, filter, page, now), ({ items }) => items)
  const all = yield* list(GroupFilter.all)
  expect(all).toHaveLength(3)
  const region = { key: "region", value: "eu" }
  expect(yield* list({ ...GroupFilter.all, tags: [region] })).toHaveLength(1)
  const many = Array.from({ length: 5 }, () => region)
  expect(yield* list({ ...GroupFilter.all, tags: many })).toHaveLength(1)
  const text = (words: ReadonlyArray<string>, phrase: boolean) =>
    list({ ...GroupFilter.all, text: [{ words, phrase }] })
  expect(yield* text(["brok"], false)).toHaveLength(3)
  expect(yield* text(["b", "broke"], true)).toHaveLength(1)
  const reportsCount = { op: ">=", value: 2 } as const
  const filter = { ...GroupFilter.all, reportsCount, errorType: "Error", severities: ["error"] as const }
  expect(yield* list(filter)).toHaveLength(1)
  for (const sort of ["last_seen", "reports_count"] as const) {
    const sorted = yield* groups.list(projectId, { ...filter, tags: [region] }, { ...page, sort }, now)
    expect(sorted.items).toHaveLength(1)
  }
  expect(yield* groups.count(projectId, { ...filter, tags: [region] }, 10, now)).toBe(1)
  expect(yield* groups.listTagKeys(projectId, 10)).toContain("region")
  expect(yield* groups.tagDistributions(projectId, all[0]!.id)).not.toEqual([])
  expect(yield* groups.tagValuesOf(projectId, all[0]!.id, "region", page)).not.toBeNull()
  expect(yield* groups.completeTag(projectId, "region", "E", 10)).toEqual(["eu"])
  yield* projects.find(projectId)

  const activity = yield* ActivityStore
  const hour = Math.floor(now.epochMilliseconds / 3_600_000) * 60
  const range = { since: hour - 60, until: hour + 60, step: "hour" } as const
  const [ofProject] = yield* activity.series(projectId, null, range)
  expect(ofProject!.reports.reduce((sum, count) => sum + count, 0)).toBe(4)
  yield* activity.series(
    projectId,
    all.map(({ id }) => id),
    range,
  )
  expect(yield* activity.busiest(projectId, range, 1, 10)).toHaveLength(3)
  const [first] = all
  for (const narrowed of [
    { ids: [first!.id] },
    { ids: [first!.id], tags: [region], text: [{ words: ["brok"], phrase: false }] },
    { createdFrom: hour * 60_000 - 3_600_000 },
    { resolvedFrom: 0 },
  ]) {
    yield* list({ ...GroupFilter.all, ...narrowed })
  }

  const group = all.find(({ errorMessage }) => errorMessage === "a broke here")!
  yield* groups.find(projectId, group.id)
  const { items } = yield* reports.list(projectId, group.id, { since: null, until: null }, page)
  expect(items).toHaveLength(2)
  const since = DateTime.subtract(now, { days: 1 })
  yield* reports.list(projectId, group.id, { since, until: now }, page)
  expect(yield* reports.latest(projectId, [group.id])).toHaveLength(1)
  const found = yield* Effect.fromOption(yield* reports.findByEventId(projectId, eventId))
  expect(found.payload).not.toBeNull()
  expect(yield* Effect.fromOption(yield* reports.find(projectId, found.groupId, found.id))).toEqual(found)
  yield* Effect.fromOption(yield* reports.findAttachment(projectId, found.id, found.attachments[0]!.id))
  const notes = yield* NoteStore
  expect((yield* notes.list(projectId, found.groupId, page)).items).toHaveLength(1)
  expect(yield* notes.recent(projectId, since, 10)).not.toEqual([])
  return all
})

/** Changes of groups by users. */
const change = Effect.fnUntraced(function* (all: ReadonlyArray<ListedGroup>) {
  const groups = yield* GroupStore
  const notes = yield* NoteStore
  const { transaction } = yield* Storage
  const now = yield* DateTime.now
  const { projectId } = all[0]!
  const ids = all.map(({ id }) => id)
  const user = yield* Given.user()
  yield* transaction(
    Effect.gen(function* () {
      const locked = yield* groups.lock(projectId, ids)
      const resolved = locked.map((group) => GroupLifecycle.resolve(group, user.id, now).group)
      yield* groups.save(resolved)
      yield* notes.append(resolved.map((group) => ({ ...Factory.newNote(group), userId: user.id })))
    }),
  )
  const note = yield* notes.insert(Factory.newNote(all[0]!))
  yield* notes.find(projectId, all[0]!.id, note.id)
  yield* notes.remove(projectId, all[0]!.id, note.id)
  yield* groups.lockNext(projectId, 0 as Group["id"], 10)
  expect(yield* groups.list(projectId, { ...GroupFilter.all, resolved: true }, page, now)).toMatchObject({
    items: [{}, {}, {}],
  })
})

/** Stores rules with their states, limits and notifications. */
const notify = Effect.fnUntraced(function* (projectId: ProjectId, groups: ReadonlyArray<ListedGroup>) {
  const { transaction } = yield* Storage
  const states = yield* AlertStore
  const mail = yield* MemberMailStore
  const deliveries = yield* DeliveryStore
  const now = yield* DateTime.now
  const rule = yield* Given.rule(projectId)
  const { id: userId } = yield* Given.member([projectId])
  const places = groups.map(({ id }) => ({ projectId, ruleId: rule.id, groupId: id }))
  const window = { projectId, targetId: null, startsAt: now, endsAt: DateTime.add(now, { hours: 1 }) }
  yield* transaction(
    Effect.gen(function* () {
      expect(yield* states.lockStates(places)).toEqual([])
      expect(yield* states.countNotifications(window, places.length, 1)).toBe(1)
      yield* states.putStates(places.map((place) => ({ ...place, notifiedAt: now, firing: true })))
    }),
  )
  expect(yield* states.firing(projectId)).toHaveLength(places.length)
  yield* mail.put(projectId, userId, { mode: "everything", digest: "daily" }, now)
  yield* mail.members([projectId])
  yield* Effect.flatMap(AlertStore, (rules) => rules.inForce([projectId]))
  yield* Given.delivery(yield* Given.target(projectId))
  const any = { targetId: null, ruleId: null, groupId: null, status: null }
  expect((yield* deliveries.notifications(projectId, any, page)).items).toHaveLength(1)
  yield* deliveries.heldBack(projectId, null, "limit", now, now)
  yield* Effect.flatMap(AlertStore, (rules) => rules.remove(projectId, rule.id))
})

const deadLetters = Effect.fnUntraced(function* (projectId: ProjectId) {
  const pending = yield* PendingPayloads
  yield* pending.append([yield* send(projectId, {}), yield* send(projectId, {})])
  const [batch] = yield* pending.lease({ payloads: 10, bytes: 1e6, duration: Duration.minutes(1) })
  yield* pending.renew([batch!], Duration.minutes(1))
  yield* pending.postpone([batch!], Duration.zero)
  yield* pending.release([batch!])
  const payloads = batch!.payloads.map((stored) => ({ ...stored, reason: "broken" }))
  yield* pending.addDeadLetters(payloads, { payloads: 1, bytes: 1e6 }, yield* DateTime.now)
  yield* pending.isolate(batch!.payloads)
  const positions = batch!.payloads.map(({ place }) => place.position)
  const part = { batchId: batch!.id, projectId, bytes: 0, whole: false }
  yield* pending.remove([{ ...part, positions: positions.slice(0, 1) }])
  yield* pending.remove([{ ...part, whole: true, positions: positions.slice(1) }])
})

it.live("a statement of one project reads one partition of each table that is distributed by project", () =>
  Effect.gen(function* () {
    const tables = yield* bigTables
    for (const table of [
      ...Object.keys(weekly),
      ...[
        "groups",
        "grouping_keys",
        "group_tags",
        "group_evidence",
        "activity_minutes",
        "activity_hours",
        "alert_states",
        "notification_windows",
        "member_mail",
        "notes",
        "pending_batches",
        "project_counts",
      ],
    ])
      expect(tables).toContain(table)
    yield* distribute(tables)
    // Other projects, in other partitions.
    for (let i = 0; i < 12; i++) yield* fill((yield* Given.project()).id)
    // Statistics for the planner: it would scan tables this small as a whole.
    yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe("ANALYZE"))

    const project = yield* Given.project()
    const { statements } = yield* explain(
      Effect.gen(function* () {
        const eventId = yield* fill(project.id)
        const all = yield* read(project.id, eventId)
        yield* change(all)
        yield* notify(project.id, all)
        yield* deadLetters(project.id)
      }),
    )
    const touched = new Set(
      statements.flatMap(({ scanned }) => [...scanned.keys()].map((n) => n.split("__")[0]!)),
    )
    for (const table of Object.keys(weekly)) expect(touched).toContain(table)
    // The queue is shared by all projects, so leasing reads them all.
    const isLease = ({ statement }: Explained) =>
      /suspect AND \(claimed_until .* FOR NO KEY UPDATE SKIP LOCKED/s.test(statement)
    expect(statements.filter(isLease).length).toBeGreaterThan(0)
    expect(scattered(statements.filter((explained) => !isLease(explained)))).toEqual([])
  }).pipe(Effect.provide(Node.layer())),
)
