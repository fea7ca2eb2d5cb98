import type { ReportId } from "@errata/core"
import {
  GroupStore,
  NoteStore,
  PendingPayloads,
  ReportStore,
  RetentionStore,
  Storage,
  unprocessed,
} from "@errata/core/ports"
import { DateTime, Effect, Option } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { countsOf, groupsOf, onlyGroupOf, titlesOf } from "./internal/Pipeline.js"
import { stored } from "./internal/Queue.js"
import {
  begun,
  finish,
  onStorageClock,
  pass,
  purge,
  reportsOf,
  send,
  suspects,
  textOf,
  withTag,
} from "./internal/Retaining.js"

/** Days after which every storage must have removed expired data. */
const long = 70

export const retentionStoreSuite: ContractSuite = {
  name: "RetentionStore",
  cases: [
    contractCase(
      "removes reports that are too old, and no others, also of the same days",
      Effect.gen(function* () {
        yield* onStorageClock
        const { id: projectId } = yield* Given.project()
        const ids: Array<string> = []
        for (const days of [long, 2, 2, 2, 2, 0]) {
          ids.push(...(yield* send(projectId, { group: "a" }, { group: "a" })))
          yield* pass(days)
        }
        const group = yield* onlyGroupOf(projectId)
        const kept = () => Effect.map(reportsOf(group), (all) => all.map(({ eventId }) => eventId as string))
        const run = yield* purge("full", 5)
        expect((yield* kept()).sort()).toEqual(ids.slice(6).sort())
        expect(run.removed.reports).toBeGreaterThanOrEqual(6)
        expect((yield* purge("full", 5)).removed).toMatchObject({ reports: 0, groups: 0 })
        yield* purge("full", 3)
        expect((yield* kept()).sort()).toEqual(ids.slice(8).sort())
        const reports = yield* ReportStore
        for (const [i, eventId] of ids.entries()) {
          const found = yield* reports.locate([{ projectId, eventId }])
          expect(found[0] !== null).toBe(i >= 8)
        }
        // Counts of everything ever recorded.
        expect((yield* onlyGroupOf(projectId)).reportsCount).toBe(12)
        expect(yield* countsOf(projectId)).toEqual({ groups: 1, reports: 12 })
      }),
    ),

    contractCase(
      "counts only the tags of kept reports, so that filters show no others",
      Effect.gen(function* () {
        yield* onStorageClock
        const { id: projectId } = yield* Given.project()
        const fields = { release: "1", environment: "production", serverName: "web-1" }
        yield* send(
          projectId,
          { group: "a", message: "a", ...fields, tags: { region: "eu", environment: "production" } },
          { group: "a", message: "a", tags: { region: "us", release: "other" } },
          { group: "b", message: "b", tags: { region: "eu" } },
        )
        yield* pass(long)
        yield* send(
          projectId,
          { group: "a", message: "a", tags: { region: "us" } },
          { group: "b", message: "b" },
        )
        expect(yield* withTag(projectId, "region", "eu")).toEqual(["a", "b"])
        yield* purge("full", 30)
        expect(yield* withTag(projectId, "region", "eu")).toEqual([])
        expect(yield* withTag(projectId, "region", "us")).toEqual(["a"])
        for (const [key, value] of [
          ["release", "1"],
          ["release", "other"],
          ["environment", "production"],
          ["server_name", "web-1"],
        ] as const) {
          expect(yield* withTag(projectId, key, value)).toEqual([])
        }
        // The recorder must not assume that the group still has the tag.
        yield* send(projectId, { group: "b", message: "b", tags: { region: "eu" } })
        expect(yield* withTag(projectId, "region", "eu")).toEqual(["b"])
        yield* pass(long)
        yield* purge("full", 30)
        expect(yield* withTag(projectId, "region", "us")).toEqual([])
      }),
    ),

    contractCase(
      "removes groups without reports and their data, and can create them again",
      Effect.gen(function* () {
        yield* onStorageClock
        const { id: projectId } = yield* Given.project()
        const [eventId] = yield* send(
          projectId,
          { group: "gone", message: "gone" },
          { group: "kept", message: "kept" },
        )
        const gone = (yield* groupsOf(projectId)).find(({ errorMessage }) => errorMessage === "gone")!
        const notes = yield* NoteStore
        const note = yield* notes.insert(Factory.newNote(gone))
        yield* pass(long)
        yield* send(projectId, { group: "kept", message: "kept" })
        const run = yield* purge("full", 30)
        expect(run.removed.groups).toBeGreaterThanOrEqual(1)
        expect(titlesOf(yield* groupsOf(projectId))).toEqual(["kept"])
        const groups = yield* GroupStore
        expect(Option.isNone(yield* groups.find(projectId, gone.id))).toBe(true)
        expect(Option.isNone(yield* notes.find(projectId, gone.id, note.id))).toBe(true)
        expect((yield* countsOf(projectId)).groups).toBe(1)

        yield* send(projectId, { group: "gone", message: "gone" })
        const again = (yield* groupsOf(projectId)).find(({ errorMessage }) => errorMessage === "gone")!
        expect(again.id).toBeGreaterThan(gone.id)
        expect([again.reportsCount, again.notesCount]).toEqual([1, 0])
        expect((yield* countsOf(projectId)).groups).toBe(2)
        // The event id is forgotten too.
        const reports = yield* ReportStore
        expect(yield* reports.locate([{ projectId, eventId: eventId! }])).toEqual([null])
      }),
    ),

    contractCase(
      "keeps a new group without reports",
      Effect.gen(function* () {
        yield* onStorageClock
        const { id: projectId } = yield* Given.project()
        const empty = yield* Given.group(projectId)
        yield* purge("full", 1)
        const groups = yield* GroupStore
        expect(Option.isSome(yield* groups.find(projectId, empty.id))).toBe(true)
      }),
    ),

    contractCase(
      "removes all details except list fields, and counts them",
      Effect.gen(function* () {
        yield* onStorageClock
        const { id: projectId } = yield* Given.project()
        yield* send(projectId, { group: "a", attachments: ["old.txt"], tags: { region: "eu" } })
        const group = yield* onlyGroupOf(projectId)
        const [summary] = yield* reportsOf(group)
        yield* pass(long)
        yield* send(projectId, { group: "a", attachments: ["new.txt"] })
        const before = yield* onlyGroupOf(projectId)
        const run = yield* purge("partial", 30)
        expect(run.removed).toMatchObject({ reports: 0, groups: 0 })
        expect(yield* onlyGroupOf(projectId)).toEqual(before)
        const [young, old] = yield* reportsOf(group)
        expect(old).toEqual(summary)
        const reports = yield* ReportStore
        const purged = yield* Effect.fromOption(yield* reports.find(projectId, group.id, old!.id))
        expect(purged).toMatchObject({ payload: null, isPurged: true, attachments: [] })
        const whole = yield* Effect.fromOption(yield* reports.find(projectId, group.id, young!.id))
        expect(whole.isPurged).toBe(false)
        expect(whole.payload).not.toBeNull()
        expect(whole.attachments.map(({ filename }) => filename)).toEqual(["new.txt"])
        expect(yield* withTag(projectId, "region", "eu")).toEqual([before.errorMessage])
        // The event id is known as long as a report of it exists.
        expect((yield* reports.locate([{ projectId, eventId: old!.eventId! }]))[0]?.reportId).toBe(old!.id)
      }),
    ),

    contractCase(
      "removes mapped frames with the rest of the details, and not before",
      Effect.gen(function* () {
        yield* onStorageClock
        const { id: projectId } = yield* Given.project()
        const group = yield* Given.group(projectId)
        const reports = yield* ReportStore
        const mapped = { ...unprocessed, status: "resolved", frames: new Uint8Array([91, 93]) } as const
        const insert = Effect.flatMap(DateTime.now, (now) =>
          reports.insert([Factory.newReport(group, {}, mapped)], now),
        )
        const [old] = yield* insert
        yield* pass(long)
        const [young] = yield* insert
        yield* purge("partial", 30)
        const framesOf = (id: ReportId) =>
          Effect.map(
            Effect.flatMap(reports.find(projectId, group.id, id), Effect.fromOption),
            ({ frames, sourcemapStatus }) => [sourcemapStatus, frames?.length],
          )
        expect(yield* framesOf(old!)).toEqual(["resolved", undefined])
        expect(yield* framesOf(young!)).toEqual(["resolved", 2])
      }),
    ),

    contractCase(
      "removes a group with all of its keys",
      Effect.gen(function* () {
        yield* onStorageClock
        const { id: projectId } = yield* Given.project()
        const group = yield* Given.group(projectId)
        const groups = yield* GroupStore
        const grouping = Factory.grouping()
        yield* groups.addKey({ projectId, groupId: group.id }, grouping)
        yield* pass(long)
        yield* purge("full", 30)
        expect((yield* Given.group(projectId, { grouping })).id).toBeGreaterThan(group.id)
      }),
    ),

    contractCase(
      "keeps the bodies of dead letters and of the queue, however old",
      Effect.gen(function* () {
        yield* onStorageClock
        const { id: projectId } = yield* Given.project()
        const pending = yield* PendingPayloads
        const [refused] = yield* stored(Factory.payload(projectId))
        const [lonely] = yield* stored(Factory.payload(projectId))
        yield* pending.isolate([lonely!])
        const [id] = yield* pending.addDeadLetters(
          [{ ...refused!, reason: "broken" }],
          { payloads: 10, bytes: 1e6 },
          yield* DateTime.now,
        )
        yield* pass(long)
        yield* purge("partial", 30)
        yield* purge("full", 30)
        expect(yield* suspects).toEqual([textOf(lonely!.payload)])
        expect(yield* pending.retryDeadLetter(id!)).toBe(true)
        expect(yield* suspects).toEqual([textOf(refused!.payload)])
      }),
    ),

    contractCase(
      "keeps merged groups together until none of them has a report",
      Effect.gen(function* () {
        yield* onStorageClock
        const { id: projectId } = yield* Given.project()
        const groups = yield* GroupStore
        yield* send(projectId, { group: "root", message: "root" }, { group: "source", message: "source" })
        const named = (name: string) =>
          Effect.map(groupsOf(projectId), (all) => all.find(({ errorMessage }) => errorMessage === name)!)
        const root = yield* named("root")
        const source = yield* named("source")
        yield* Given.merge(root, source)
        yield* pass(long)
        yield* send(projectId, { group: "source" })
        yield* purge("full", 30)
        expect(yield* reportsOf(root)).toHaveLength(1)
        expect((yield* named("root")).reportsCount).toBe(3)

        yield* Given.unmerge(yield* named("root"), source)
        expect([(yield* named("root")).reportsCount, (yield* named("source")).reportsCount]).toEqual([1, 2])
        expect([yield* reportsOf(root), yield* reportsOf(source)].map((all) => all.length)).toEqual([0, 1])
        yield* purge("full", 30)
        expect(titlesOf(yield* groupsOf(projectId))).toEqual(["source"])

        yield* send(projectId, { group: "other", message: "other" })
        yield* Given.merge(yield* named("source"), yield* named("other"))
        yield* pass(long)
        yield* purge("full", 30)
        expect(yield* groupsOf(projectId)).toEqual([])
        expect((yield* countsOf(projectId)).groups).toBe(0)
        const merges = yield* groups.listMerges(projectId, source.id, { limit: 10, cursor: null })
        expect(merges.items).toEqual([])
      }),
    ),

    contractCase(
      "returns the ends of past parts in order, without parts that still receive reports",
      Effect.gen(function* () {
        yield* onStorageClock
        const store = yield* RetentionStore
        const { id: projectId } = yield* Given.project()
        yield* send(projectId, { group: "a" })
        yield* pass(21)
        yield* send(projectId, { group: "a" })
        const now = yield* (yield* Storage).now
        const ends: Array<DateTime.Utc> = []
        while (true) {
          const end = yield* store.endOfOldest(ends.at(-1) ?? null)
          if (end._tag === "None") break
          expect(DateTime.isLessThanOrEqualTo(end.value, now)).toBe(true)
          if (ends.length > 0) expect(DateTime.isGreaterThan(end.value, ends.at(-1)!)).toBe(true)
          ends.push(end.value)
        }
        expect(ends.length).toBeGreaterThan(0)
        const group = yield* onlyGroupOf(projectId)
        expect(yield* reportsOf(group)).toHaveLength(2)
        const id = yield* begun
        yield* store.purgeReports(id, ends.at(-1)!)
        yield* finish(id)
        expect(yield* reportsOf(group)).toHaveLength(1)
        expect(Option.isNone(yield* store.endOfOldest(null))).toBe(true)
      }),
    ),

    contractCase(
      "has one unfinished run across nodes, and keeps all runs",
      Effect.gen(function* () {
        yield* onStorageClock
        const store = yield* RetentionStore
        yield* finish(yield* begun)
        const user = yield* Given.user()
        const request = Effect.flatMap(RetentionStore, ({ request }) =>
          request("errors", "requested", user.id),
        )
        const asked = yield* Effect.all([request, onSecondNode(request), request], {
          concurrency: "unbounded",
        })
        expect(new Set(asked.map(({ id }) => id)).size).toBe(1)
        const { id } = asked[0]!
        expect(asked[0]).toMatchObject({
          kind: "errors",
          trigger: "requested",
          state: "waiting",
          requestedBy: user.id,
          startedAt: null,
          finishedAt: null,
          removed: { reports: 0, groups: 0, bundles: 0, partitions: 0, postponed: 0, bytes: 0 },
        })
        const before = yield* (yield* Storage).now
        yield* store.begin(id, { timePurgeType: "partial", before, bytesBefore: 7 })
        const running = yield* Effect.fromOption(yield* store.unfinished("errors"))
        expect(running).toMatchObject({ id, state: "running", timePurgeType: "partial", bytesBefore: 7 })
        yield* store.begin(id, { timePurgeType: "full", before, bytesBefore: 9 })
        expect(yield* Effect.fromOption(yield* store.find(id))).toMatchObject({
          timePurgeType: "full",
          bytesBefore: 7,
          startedAt: running.startedAt,
        })
        yield* store.finish(id, { bytesAfter: 3, isWithinDiskLimit: true, failure: null })
        yield* store.finish(id, { bytesAfter: 4, isWithinDiskLimit: false, failure: "late" })
        const finished = yield* Effect.fromOption(yield* store.find(id))
        expect(finished).toMatchObject({
          state: "succeeded",
          bytesAfter: 3,
          isWithinDiskLimit: true,
          failure: null,
        })
        expect(Option.isNone(yield* store.unfinished("errors"))).toBe(true)
        const next = yield* store.request("errors", "nightly", null)
        yield* store.begin(next.id, { timePurgeType: null, before: null, bytesBefore: 0 })
        yield* store.finish(next.id, { bytesAfter: 0, isWithinDiskLimit: null, failure: "defect" })
        const page = yield* store.list({ limit: 1, cursor: null })
        expect(page.items).toMatchObject([{ id: next.id, state: "failed", failure: "defect", before: null }])
        const [last] = (yield* store.list({ limit: 1, cursor: page.nextCursor })).items
        expect(last).toEqual(finished)
      }),
    ),

    contractCase(
      "enters a nightly run once under concurrent calls",
      Effect.gen(function* () {
        yield* onStorageClock
        const store = yield* RetentionStore
        const now = yield* (yield* Storage).now
        const enter = (millis: number) =>
          Effect.flatMap(RetentionStore, ({ enterNight }) =>
            enterNight("errors", DateTime.add(now, { milliseconds: millis })),
          )
        yield* enter(0)
        const entered = yield* Effect.all([enter(1), onSecondNode(enter(1)), enter(1)], {
          concurrency: "unbounded",
        })
        expect(entered.filter(Boolean)).toHaveLength(1)
        expect([yield* enter(1), yield* enter(0), yield* enter(3), yield* enter(2)]).toEqual([
          false,
          false,
          true,
          false,
        ])
        expect(Option.isNone(yield* store.unfinished("errors"))).toBe(true)
      }),
    ),
  ],
}
