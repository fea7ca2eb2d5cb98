/** Bodies in the object store: moved, read, discarded, removed, and interrupted at every step. */
import { zstdDecompressSync } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import { GroupFilter, type ProjectId } from "@errata/core"
import { Recorder, RecorderWorker } from "@errata/core/internal"
import {
  GroupStore,
  PendingPayloads,
  ProjectStore,
  ReportStore,
  RetentionStore,
  SourcemapReportStore,
  Storage,
  type StoredReport,
} from "@errata/core/ports"
import { Given, TestDecoder } from "@errata/testing"
import { DateTime, Effect, Exit, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Dictionaries from "../src/internal/Dictionaries.js"
import * as PostgresReportStore from "../src/PostgresReportStore.js"
import { advance, archive, nodeWith, nodeWithBuckets } from "./support/archiving.js"
import * as Objects from "./support/objects.js"
import { readerOf } from "./support/reader.js"

const recorder = Recorder.Default.pipe(Layer.provide(TestDecoder.layer))
const send = (projectId: ProjectId, events: ReadonlyArray<TestDecoder.TestEvent>) =>
  Effect.gen(function* () {
    const receivedAt = (yield* DateTime.now).epochMilliseconds
    const pending = yield* PendingPayloads
    yield* pending.append(events.map((event) => TestDecoder.payload(projectId, event, { receivedAt })))
    yield* RecorderWorker.drain
  }).pipe(Effect.provide(recorder))

/** Creates reports of two groups in each of two projects, in four finished weeks and the current one. */
const fill = Effect.gen(function* () {
  const projects = [(yield* Given.project()).id, (yield* Given.project()).id]
  for (let week = 0; week < 5; week++) {
    for (const projectId of projects) {
      yield* send(projectId, [
        { group: "a", message: `a${week}`, tags: { b: "", a: `"${week}` }, attachments: ["a.txt", "b.txt"] },
        { group: "b", message: `b${week}` },
      ])
      yield* send(projectId, [{ group: "a", message: `more${week}` }])
    }
    if (week < 4) yield* advance(7)
  }
  return projects
})

/** All blocks of an object. Uncompressed ones come before the first compressed one or after any of them. */
const contents = (object: Buffer): ReadonlyArray<string> => {
  const starts = [...object.toString("latin1").matchAll(/\x28\xb5\x2f\xfd/g)].map(({ index }) => index)
  return [
    object.toString("latin1"),
    ...starts.map((start, i) => zstdDecompressSync(object.subarray(start, starts[i + 1])).toString()),
  ]
}

const page = { limit: 100, cursor: null }
const anyTime = { since: null, until: null }

interface Shown extends Omit<StoredReport, "payload"> {
  readonly body: string | null
  readonly same: string | null
  readonly source: string | null
  readonly files: ReadonlyArray<string | null>
}

/** All report data that reads and lists return. */
const everything = Effect.fnUntraced(function* (projectIds: ReadonlyArray<ProjectId>) {
  const groups = yield* GroupStore
  const reports = yield* ReportStore
  const sourcemaps = yield* SourcemapReportStore
  const all: Array<Shown> = []
  for (const projectId of projectIds) {
    const listed = yield* groups.list(projectId, GroupFilter.all, page, yield* DateTime.now)
    for (const group of listed.items) {
      const { items } = yield* reports.list(projectId, group.id, anyTime, page)
      for (const item of items) {
        const { payload, ...report } = yield* Effect.fromOption(
          yield* reports.find(projectId, group.id, item.id),
        )
        const byEvent = yield* Effect.fromOption(yield* reports.findByEventId(projectId, item.eventId!))
        const source = yield* Effect.fromOption(yield* sourcemaps.find({ projectId, reportId: item.id }))
        const files: Array<string | null> = []
        for (const { id } of report.attachments) {
          const found = yield* reports.findAttachment(projectId, item.id, id)
          files.push(found._tag === "None" ? null : `${text(found.value.payload)} ${found.value.index}`)
        }
        all.push({
          ...report,
          body: text(payload),
          same: text(byEvent.payload),
          source: text(source.payload),
          files,
        })
      }
    }
  }
  return all
})

const text = (payload: { readonly body: Uint8Array } | null) =>
  payload === null ? null : Buffer.from(payload.body).toString()

const rowsOf = (query: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<Record<string, unknown>>(query))

const archives = (where = "true") =>
  Effect.map(rowsOf(`SELECT name FROM errata.archives WHERE ${where} ORDER BY name`), (rows) =>
    rows.map(({ name }) => name as string),
  )

const segmentsCount = Effect.map(
  rowsOf("SELECT count(*)::integer AS count FROM errata.segments"),
  ([row]) => row!["count"],
)

/** Every object must have a row, and every live row an object. */
const expectNothingLost = Effect.fnUntraced(function* (objects: Objects.TestObjects) {
  const known = yield* archives()
  expect(known).toEqual(expect.arrayContaining([...objects.objects.keys()]))
  for (const name of yield* archives("state = 'live'")) expect(objects.objects.has(name)).toBe(true)
})

const purgeDetails = Effect.fnUntraced(function* (days: number) {
  const store = yield* RetentionStore
  const { id } = yield* store.request("errors", "requested", null)
  yield* store.begin(id, { timePurgeType: "partial", before: null, bytesBefore: 0 })
  yield* store.purgeDetails(id, DateTime.subtract(yield* (yield* Storage).now, { days }))
  yield* store.finish(id, { bytesAfter: 0, isWithinDiskLimit: null, failure: null })
})

const discard = Effect.fnUntraced(function* (projectId: ProjectId, message: string) {
  const groups = yield* GroupStore
  const { transaction } = yield* Storage
  const now = yield* DateTime.now
  const { items } = yield* groups.list(projectId, GroupFilter.all, { limit: 100, cursor: null }, now)
  const group = items.find(({ errorMessage }) => errorMessage.startsWith(message))!
  yield* transaction(
    Effect.gen(function* () {
      const [locked] = yield* groups.lock(projectId, [group.id])
      yield* groups.remove(locked!, null, now)
    }),
  )
  const later = DateTime.add(now, { hours: 1 })
  yield* Effect.repeat(groups.purge(100, later), { while: (purged) => purged > 0 })
})

describe("archived bodies", () => {
  it.live("are read unchanged, from one object for each project and week", () => {
    const objects = Objects.make()
    return Effect.gen(function* () {
      const projects = yield* fill
      const before = yield* everything(projects)
      expect(before).toHaveLength(30)
      yield* archive()
      // The last finished week and the current one stay.
      expect(yield* archives("state = 'live'")).toHaveLength(6)
      expect([...objects.objects.keys()].sort()).toEqual(yield* archives())
      expect(yield* segmentsCount).toBe(8)
      expect(yield* everything(projects)).toEqual(before)
      yield* archive()
      expect(yield* archives()).toHaveLength(6)
      yield* advance(7)
      yield* archive()
      expect(yield* archives("state = 'live'")).toHaveLength(8)
      expect(yield* everything(projects)).toEqual(before)
      yield* archive(null)
      expect(yield* everything(projects)).toEqual(before)
    }).pipe(Effect.provide(nodeWith(objects)))
  })

  it.live("are moved from each bucket", () => {
    const objects = Objects.make()
    return Effect.gen(function* () {
      const projects = yield* fill
      const before = yield* everything(projects)
      expect(before).toHaveLength(30)
      yield* archive()
      expect(objects.objects.size).toBe(6)
      expect(yield* everything(projects)).toEqual(before)
      yield* discard(projects[0]!, "a")
      yield* purgeDetails(15)
      const after = yield* everything(projects)
      expect(after.filter(({ isPurged }) => isPurged)).toHaveLength(8)
      yield* archive()
      expect(objects.objects.size).toBe(2)
    }).pipe(Effect.provide(nodeWithBuckets(objects)))
  })

  it.live("are deleted by retention and with their project, and their objects by the next run", () => {
    const objects = Objects.make()
    return Effect.gen(function* () {
      const projects = yield* fill
      yield* archive()
      const before = yield* everything(projects)
      yield* purgeDetails(15)
      const after = yield* everything(projects)
      expect(after.map(({ isPurged }) => isPurged).filter(Boolean)).toHaveLength(12)
      for (const [i, report] of after.entries()) {
        if (!report.isPurged) expect(report).toEqual(before[i])
        else expect(report).toMatchObject({ body: null, unreadable: null })
      }
      yield* archive()
      expect(objects.objects.size).toBe(2)
      const store = yield* ProjectStore
      yield* store.remove(projects[0]!, yield* DateTime.now)
      yield* Effect.repeat(store.purge(1000, yield* DateTime.now), { while: (purged) => purged > 0 })
      yield* archive(null)
      expect([...objects.objects.keys()]).toEqual(yield* archives())
      expect(objects.objects.size).toBe(1)
    }).pipe(Effect.provide(nodeWith(objects)))
  })

  it.live(
    "of a discarded group are removed from an object by its next rewrite, and from an object during its creation",
    () => {
      const objects = Objects.make()
      return Effect.gen(function* () {
        const projects = yield* fill
        // Discarded between the copy and the move of the first week.
        let isDiscarded = false
        const context = yield* Effect.context<Layer.Success<ReturnType<typeof nodeWith>>>()
        objects.before = (operation) =>
          Effect.suspend(() => {
            if (operation !== "end" || isDiscarded) return Effect.void
            isDiscarded = true
            return Effect.orDie(Effect.provide(discard(projects[0]!, "b"), context))
          })
        yield* archive()
        yield* discard(projects[1]!, "b")
        const found = yield* everything(projects)
        expect(found).toHaveLength(20)
        const bytes = () => [...objects.objects.values()].flatMap(contents).join("")
        expect(bytes()).toContain('"b0"')
        yield* advance(2)
        yield* archive()
        // The next run removes the replaced objects.
        yield* archive()
        expect(bytes()).not.toMatch(/"b\d"/)
        expect(bytes()).toContain('"more0"')
        expect(yield* everything(projects)).toEqual(found)
        expect(yield* rowsOf("SELECT 1 FROM errata.archive_removals")).toEqual([])
        expect(yield* archives()).toHaveLength(6)
      }).pipe(Effect.provide(nodeWith(objects)))
    },
  )

  it.live("of a discarded group are removed from an object that two nodes rewrite concurrently", () => {
    const objects = Objects.make()
    return Effect.gen(function* () {
      const [projectId] = yield* fill
      yield* archive()
      yield* discard(projectId!, "b")
      yield* advance(2)
      const context = yield* Effect.context<Layer.Success<ReturnType<typeof nodeWith>>>()
      const [old] = yield* archives(`state = 'live' AND project_id = ${projectId}`)
      // The other node has begun earlier, when less was discarded, and ends first.
      let isRewritten = false
      objects.before = (operation) =>
        Effect.suspend(() => {
          if (operation !== "end" || isRewritten) return Effect.void
          isRewritten = true
          objects.objects.set("other", objects.objects.get(old!)!)
          return Effect.orDie(
            Effect.provide(
              Effect.andThen(
                rowsOf(`UPDATE errata.archives SET state = 'removing' WHERE name = '${old}'`),
                rowsOf(`
                  INSERT INTO errata.archives (project_id, week, name, state, segments_count, page_ids, page_offsets)
                  SELECT project_id, week, 'other', 'live', segments_count, page_ids, page_offsets
                  FROM errata.archives WHERE name = '${old}'`),
              ),
              context,
            ),
          )
        })
      const found = yield* everything([projectId!])
      // The last of these runs removes the replaced objects.
      for (let run = 0; run < 3; run++) yield* archive()
      expect(isRewritten).toBe(true)
      expect(yield* everything([projectId!])).toEqual(found)
      expect(yield* rowsOf("SELECT 1 FROM errata.archive_removals")).toEqual([])
      const live = yield* archives(`state = 'live' AND project_id = ${projectId}`)
      const bytes = live.flatMap((name) => contents(objects.objects.get(name)!)).join("")
      expect(bytes).toContain('"more0"')
      expect(bytes).not.toMatch(/"b\d"/)
    }).pipe(Effect.provide(nodeWith(objects)))
  })

  it.live("stay when a node was paused while it wrote them, and another has taken over the job", () => {
    const objects = Objects.make()
    return Effect.gen(function* () {
      const projects = yield* fill
      // The other node gives up each object right after it was written.
      yield* rowsOf(`
        CREATE FUNCTION errata.give_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          UPDATE errata.archives SET state = 'abandoned' WHERE name = NEW.name AND state = 'written'; RETURN NULL;
        END $$`)
      const giveUp = rowsOf(`
        CREATE TRIGGER give_up AFTER UPDATE ON errata.archives FOR EACH ROW
        WHEN (OLD.state = 'writing' AND NEW.state = 'written') EXECUTE FUNCTION errata.give_up()`)
      yield* archive()
      yield* discard(projects[0]!, "b")
      const before = yield* everything(projects)
      yield* giveUp
      yield* advance(2)
      for (let run = 0; run < 2; run++) {
        yield* archive()
        yield* expectNothingLost(objects)
        expect(yield* everything(projects)).toEqual(before)
      }
      yield* rowsOf("DROP TRIGGER give_up ON errata.archives")
      for (let run = 0; run < 2; run++) yield* archive()
      expect([...objects.objects.values()].flatMap(contents).join("").match(/"b\d"/g)).toHaveLength(3)
      expect(yield* everything(projects)).toEqual(before)
    }).pipe(Effect.provide(nodeWith(objects)))
  })

  it.live("of dead letters stay in the database until the dead letters are deleted", () => {
    const objects = Objects.make()
    return Effect.gen(function* () {
      const projects = yield* fill
      const before = yield* everything(projects)
      yield* rowsOf(`
        INSERT INTO errata.dead_letters (project_id, segment_id, position, event_id, kind, received_at, bytes, reason, failed_at)
        SELECT project_id, id, 0, '', 'event', now(), 1, 'test', now() FROM errata.segments ORDER BY id LIMIT 1`)
      yield* archive()
      expect(yield* segmentsCount).toBe(9)
      expect(yield* everything(projects)).toEqual(before)
      yield* rowsOf("DELETE FROM errata.dead_letters")
      yield* archive()
      expect(yield* segmentsCount).toBe(8)
      expect(yield* everything(projects)).toEqual(before)
    }).pipe(Effect.provide(nodeWith(objects)))
  })

  it.live("are neither lost nor stored twice when a run fails at any call to the store", () => {
    const objects = Objects.make()
    return Effect.gen(function* () {
      const projects = yield* fill
      const before = yield* everything(projects)
      for (let failing = 0, isDone = false; !isDone; failing++) {
        let calls = 0
        objects.before = (operation) =>
          Effect.suspend(() => {
            if (operation === "read" || operation === "remove" || calls++ < failing) return Effect.void
            // As a failure, and as a node that stops.
            return failing % 2 === 0 ? Objects.failed : Effect.interrupt
          })
        const run = yield* Fiber.await(yield* Effect.forkChild(archive()))
        isDone = Exit.isSuccess(run)
        objects.before = () => Effect.void
        yield* expectNothingLost(objects)
        expect(yield* everything(projects)).toEqual(before)
      }
      yield* advance(2)
      objects.before = (operation) => (operation === "remove" ? Objects.failed : Effect.void)
      expect(yield* Effect.flip(archive())).toBe(Objects.failed)
      objects.before = () => Effect.void
      yield* archive()
      expect([...objects.objects.keys()].sort()).toEqual(yield* archives())
      expect(yield* archives("state = 'live'")).toHaveLength(6)
      expect(yield* everything(projects)).toEqual(before)
    }).pipe(Effect.provide(nodeWith(objects)))
  })

  it.live("that cannot be read affect only their report", () => {
    const objects = Objects.make()
    return Effect.gen(function* () {
      const [projectId] = yield* fill
      const before = yield* everything([projectId!])
      yield* archive()
      const problems = Effect.map(everything([projectId!]), (found) => {
        expect(found).toHaveLength(before.length)
        for (const [i, report] of found.entries()) {
          if (report.unreadable === null) expect(report).toEqual(before[i])
          else expect(report).toMatchObject({ body: null, isPurged: false })
        }
        return found.map(({ unreadable }) => unreadable).filter((problem) => problem !== null)
      })
      const [first, second] = yield* archives(`state = 'live' AND project_id = ${projectId}`)
      const kept = objects.objects.get(first!)!
      objects.objects.delete(first!)
      const damaged = objects.objects.get(second!)!
      objects.objects.set(second!, Buffer.from(damaged.map((byte, i) => (i < 10 ? byte ^ 255 : byte))))
      expect((yield* problems).sort()).toEqual(["damaged", "damaged", "missing", "missing", "missing"])
      objects.objects.set(first!, kept)
      objects.objects.set(second!, damaged)
      // A hanging store and a failing one.
      const reports = yield* ReportStore
      const report = before.findLast(({ attachments }) => attachments.length > 0)!
      for (const fault of [Effect.never, Objects.failed]) {
        objects.before = () => fault
        const found = yield* reports.find(projectId!, report.groupId, report.id)
        expect(yield* Effect.fromOption(found)).toMatchObject({ unreadable: "unreachable", payload: null })
        const source = yield* Effect.flip(
          reports.findAttachment(projectId!, report.id, report.attachments[0]!.id),
        )
        expect(source).toMatchObject({ _tag: "StorageError", reason: "unavailable" })
        expect((yield* reports.list(projectId!, report.groupId, anyTime, page)).items).not.toEqual([])
      }
      // A server without an object store.
      const { find } = yield* Effect.provide(
        ReportStore,
        Layer.fresh(PostgresReportStore.layer).pipe(Layer.provide(Dictionaries.layer)),
      )
      const found = yield* find(projectId!, report.groupId, report.id)
      expect(yield* Effect.fromOption(found)).toMatchObject({ unreadable: "no_store", payload: null })
      // Those that are still in the database.
      objects.before = () => Effect.void
      yield* (yield* SqlClient.SqlClient)`UPDATE errata.segments SET body = '\\xdeadbeef'`
      expect(yield* problems).toEqual(Array.from({ length: 6 }, () => "damaged"))
    }).pipe(Effect.provide(nodeWith(objects)))
  })

  it.live("stay in a partition with an open reader until the next run", () => {
    const objects = Objects.make()
    return Effect.gen(function* () {
      const projects = yield* fill
      const before = yield* everything(projects)
      const endOfReader = yield* readerOf("segments")
      yield* archive()
      expect(yield* archives("state = 'live'")).toEqual([])
      const written = yield* archives("state = 'written'")
      expect(written).toHaveLength(6)
      yield* endOfReader
      yield* archive()
      expect(yield* archives("state = 'live'")).toEqual(written)
      expect(yield* everything(projects)).toEqual(before)
    }).pipe(Effect.provide(nodeWith(objects)))
  })

  it.live("are moved once by two concurrent nodes", () => {
    const objects = Objects.make()
    return Effect.gen(function* () {
      const projects = yield* fill
      const before = yield* everything(projects)
      // A lease keeps them apart. Without it, one of them loses its attempts.
      yield* Effect.all([Effect.exit(archive()), Effect.exit(archive())], { concurrency: 2 })
      yield* expectNothingLost(objects)
      yield* archive()
      expect(yield* archives("state = 'live'")).toHaveLength(6)
      expect(yield* everything(projects)).toEqual(before)
      yield* advance(2)
      yield* archive()
      expect([...objects.objects.keys()].sort()).toEqual(yield* archives())
      expect(yield* archives()).toHaveLength(6)
    }).pipe(Effect.provide(nodeWith(objects)))
  })
})
