/** The core's recorder on a storage: from the queue to reports and groups. */

import { type EventId, type Group, GroupFilter, UserId } from "@errata/core"
import {
  GroupLifecycle,
  GroupStore,
  IngestStatistics,
  NoteStore,
  ProjectStore,
  ReportStore,
  Storage,
} from "@errata/core/ports"
import { Array, DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Given from "./Given.js"
import { idOf } from "./internal/Paging.js"
import {
  append,
  countsOf,
  deadLettersOf,
  eventIds,
  eventIdsOf,
  given,
  groupsOf,
  isQueueEmpty,
  onlyGroupOf,
  record,
  recordAll,
  titlesOf,
} from "./internal/Pipeline.js"
import * as TestDecoder from "./TestDecoder.js"

const save = (group: Group, fields: Partial<Group>) =>
  Effect.flatMap(GroupStore, (groups) => groups.save([Given.changeGroup(group, fields)]))

export const recorderSuite: ContractSuite = {
  name: "Recorder",
  cases: [
    contractCase(
      "records a batch",
      Effect.gen(function* () {
        const { project, send } = yield* given
        const other = yield* Given.project()
        const a = send({ group: "a", message: "first a", severity: "warning", release: "1.0" })
        const b = send({ group: "b", message: "first b" })
        const again = send({ group: "a", message: "second a", severity: "fatal" })
        const elsewhere = TestDecoder.payload(other.id, { group: "a", message: "other a" })
        yield* record(a, b, again, elsewhere)
        const groups = yield* groupsOf(project.id)
        expect(titlesOf(groups)).toEqual(["first a", "first b"])
        const groupA = groups.find(({ errorMessage }) => errorMessage === "first a")
        const groupB = groups.find(({ errorMessage }) => errorMessage === "first b")
        expect(groupA).toMatchObject({
          errorMessage: "first a",
          severity: "fatal",
          reportsCount: 2,
          notesCount: 0,
          resolution: null,
          grouping: { algorithm: "v2", data: { method: "custom" } },
        })
        expect(groupB).toMatchObject({ severity: "error", reportsCount: 1 })
        expect(yield* eventIdsOf(groupA!)).toEqual([again.eventId, a.eventId])
        expect(yield* eventIdsOf(groupB!)).toEqual([b.eventId])
        expect(yield* countsOf(project.id)).toEqual({ groups: 2, reports: 3 })
        expect(yield* countsOf(other.id)).toEqual({ groups: 1, reports: 1 })
        expect(yield* isQueueEmpty).toBe(true)
        const reports = yield* ReportStore
        const found = yield* Effect.fromOption(yield* reports.findByEventId(project.id, a.eventId as EventId))
        expect(found).toMatchObject({
          errorMessage: "first a",
          releaseVersion: "1.0",
          release: { version: "1.0" },
        })
      }),
    ),

    contractCase(
      "counts the events that were shortened, each once",
      Effect.gen(function* () {
        const statistics = yield* IngestStatistics
        const { send } = yield* given
        const shortened = send({ group: "a", truncations: ["tags"] })
        const count = Effect.gen(function* () {
          return (yield* statistics.recent(yield* DateTime.now)).truncated
        })
        const before = yield* count
        yield* record(shortened, send({ group: "a" }), send({ group: "b", truncations: ["tags", "extras"] }))
        expect((yield* count) - before).toBe(2)
        yield* record(shortened, send({ group: "a" }))
        expect((yield* count) - before).toBe(2)
      }),
    ),

    contractCase(
      "counts later reports in existing groups",
      Effect.gen(function* () {
        const { project, send } = yield* given
        const now = yield* DateTime.now
        const at = (minutes: number) => DateTime.add(now, { minutes }).epochMilliseconds
        yield* record(send({ occurredAt: at(-5) }))
        yield* record(send({ occurredAt: at(-9) }), send({ occurredAt: at(-1) }))
        yield* onSecondNode(record(send({ occurredAt: at(-3) })))
        const group = yield* onlyGroupOf(project.id)
        expect(group.reportsCount).toBe(4)
        expect([group.firstOccurredAt.epochMilliseconds, group.lastOccurredAt.epochMilliseconds]).toEqual([
          at(-9),
          at(-1),
        ])
        expect(yield* countsOf(project.id)).toEqual({ groups: 1, reports: 4 })
      }),
    ),

    contractCase(
      "records hundreds of payloads in one batch",
      Effect.gen(function* () {
        const { project, send } = yield* given
        const payloads = Array.makeBy(250, (i) =>
          send({ group: `g${i % 10}`, release: `r${i % 3}`, tags: { n: String(i % 50) } }),
        )
        yield* record(...payloads)
        const groups = yield* groupsOf(project.id)
        expect(groups.map(({ reportsCount }) => reportsCount)).toEqual(Array.makeBy(10, () => 25))
        const recorded = yield* Effect.forEach(groups, eventIdsOf)
        expect(recorded.flat().sort()).toEqual(eventIds(payloads).sort())
      }),
    ),

    contractCase(
      "records an event once, within a batch and across batches",
      Effect.gen(function* () {
        const { project, send } = yield* given
        const first = send({ message: "first", tags: { copy: "first" } })
        const copy = send({ message: "copy", tags: { copy: "second" } }, { eventId: first.eventId })
        yield* append(first, copy)
        yield* append(copy)
        yield* recordAll
        yield* record(copy, send({ message: "other" }))
        const group = yield* onlyGroupOf(project.id)
        expect(group.reportsCount).toBe(2)
        expect(yield* eventIdsOf(group)).toHaveLength(2)
        expect(yield* countsOf(project.id)).toEqual({ groups: 1, reports: 2 })
        const filter = { ...GroupFilter.all, tags: [{ key: "copy", value: "second" }] }
        expect(yield* groupsOf(project.id, filter)).toEqual([])
        expect(yield* isQueueEmpty).toBe(true)
      }),
    ),

    contractCase(
      "creates no group for events that are already stored",
      Effect.gen(function* () {
        const { project, send } = yield* given
        const first = send({ group: "a" })
        yield* record(first)
        yield* record(send({ group: "b" }, { eventId: first.eventId }))
        expect((yield* onlyGroupOf(project.id)).reportsCount).toBe(1)
        yield* record(send({ group: "b" }))
        expect((yield* groupsOf(project.id)).map(({ reportsCount }) => reportsCount)).toEqual([1, 1])
        expect(yield* countsOf(project.id)).toEqual({ groups: 2, reports: 2 })
      }),
    ),

    contractCase(
      "notes on a new group that an earlier one of the error was discarded",
      Effect.gen(function* () {
        const { project, send } = yield* given
        const groups = yield* GroupStore
        const storage = yield* Storage
        yield* record(send({ group: "a" }), send({ group: "a" }))
        const earlier = yield* onlyGroupOf(project.id)
        const at = DateTime.makeUnsafe("2026-11-27T08:00:00Z")
        const discard = Effect.flatMap(groups.lock(project.id, [earlier.id]), ([locked]) =>
          groups.remove(locked!, UserId.make(7), at),
        )
        yield* storage.transaction(discard)
        yield* record(send({ group: "a" }), send({ group: "a" }), send({ group: "b" }))
        yield* record(send({ group: "a" }))
        const found = yield* groupsOf(project.id)
        expect(found.map(({ notesCount, reportsCount }) => [reportsCount, notesCount]).sort()).toEqual([
          [1, 0],
          [3, 1],
        ])
        const noted = found.find(({ notesCount }) => notesCount === 1)!
        const page = { limit: 100, cursor: null }
        const { items } = yield* (yield* NoteStore).list(project.id, noted.id, page)
        expect(items).toMatchObject([
          {
            automated: true,
            user: null,
            content: `An earlier group of this error (number ${earlier.id}, 2 reports) was deleted on 2026-11-27 by user 7`,
          },
        ])
      }),
    ),

    contractCase(
      "counts tags, environments, releases and servers",
      Effect.gen(function* () {
        const { project, send } = yield* given
        yield* record(
          send({ tags: { region: "eu" }, environment: "production", release: "1.0", serverName: "web-1" }),
          send({ tags: { region: "us" }, environment: "production" }),
        )
        const group = yield* onlyGroupOf(project.id)
        yield* record(send({ group: "other", tags: { region: "asia" } }))
        const tagged = (key: string, value: string) =>
          Effect.map(groupsOf(project.id, { ...GroupFilter.all, tags: [{ key, value }] }), (groups) =>
            groups.map(idOf),
          )
        for (const [key, value] of [
          ["region", "eu"],
          ["region", "us"],
          ["environment", "production"],
          ["release", "1.0"],
          ["server_name", "web-1"],
        ] as const) {
          expect(yield* tagged(key, value)).toEqual([group.id])
        }
        expect(yield* tagged("region", "asia")).not.toContain(group.id)
        expect(yield* tagged("environment", "")).toEqual([])
      }),
    ),

    contractCase(
      "removes payloads that hold nothing to record",
      Effect.gen(function* () {
        const { project, send } = yield* given
        yield* record(
          send({ group: null }),
          send({ group: null, discarded: [{ reason: "sample_rate", category: "error", quantity: 3 }] }),
        )
        expect(yield* groupsOf(project.id)).toEqual([])
        expect(yield* deadLettersOf(project.id)).toEqual([])
        expect(yield* isQueueEmpty).toBe(true)
      }),
    ),

    contractCase(
      "adds attachments to the report they came with, or that they name",
      Effect.gen(function* () {
        const { project, send } = yield* given
        const event = send({ attachments: ["with.log"] })
        yield* record(event, send({ group: null, attachments: ["same.log"] }, { eventId: event.eventId }))
        yield* record(send({ group: null, attachments: ["later.log"] }, { eventId: event.eventId }))
        const reports = yield* ReportStore
        const report = yield* Effect.fromOption(
          yield* reports.findByEventId(project.id, event.eventId as EventId),
        )
        expect(report.attachments.map(({ filename }) => filename)).toEqual([
          "with.log",
          "same.log",
          "later.log",
        ])
      }),
    ),

    contractCase(
      "reopens a resolved group by a report that came in later, and notes it",
      Effect.gen(function* () {
        const { project, send } = yield* given
        yield* record(send())
        const group = yield* onlyGroupOf(project.id)
        const at = DateTime.add(yield* DateTime.now, { minutes: 1 })
        yield* save(group, { resolution: { at, by: null, inRelease: null } })
        yield* record(send({}, { receivedAt: at.epochMilliseconds - 1 }))
        expect((yield* onlyGroupOf(project.id)).resolution).toEqual({ at, by: null, inRelease: null })
        yield* record(send({}, { receivedAt: at.epochMilliseconds }))
        const reopened = yield* onlyGroupOf(project.id)
        expect(reopened).toMatchObject({ resolution: null, reportsCount: 3, notesCount: 1 })
      }),
    ),

    contractCase(
      "ends a mute at its number of reports",
      Effect.gen(function* () {
        const { project, send } = yield* given
        yield* record(send())
        const now = yield* DateTime.now
        const request = GroupLifecycle.MuteRequest.ForReports({ occurrences: 3 })
        const { group } = GroupLifecycle.mute(yield* onlyGroupOf(project.id), request, null, now)
        yield* save(group, {})
        yield* record(send(), send())
        const muted = yield* onlyGroupOf(project.id)
        expect(muted.mute?.condition).toEqual({ _tag: "UntilReportsCount", reportsCount: 4 })
        yield* record(send())
        expect(yield* onlyGroupOf(project.id)).toMatchObject({ mute: null, reportsCount: 4, notesCount: 1 })
      }),
    ),

    contractCase(
      "lets new groups inherit the mute of their project",
      Effect.gen(function* () {
        const { project, send } = yield* given
        const projects = yield* ProjectStore
        yield* record(send({ group: "before" }))
        const now = yield* DateTime.now
        const mute = { at: now, by: null, until: DateTime.add(now, { hours: 1 }) }
        yield* projects.setMute(project.id, mute, now)
        yield* record(send({ group: "before" }), send({ group: "after" }))
        yield* TestClock.adjust("1 hours")
        yield* record(send({ group: "later" }))
        const [later, after, before] = yield* groupsOf(project.id)
        expect([before, after, later].map((group) => group?.projectMute)).toEqual([null, mute, null])
      }),
    ),

    contractCase(
      "records reports of merged groups in the target",
      Effect.gen(function* () {
        const { project, send } = yield* given
        yield* record(send({ group: "a" }), send({ group: "b" }), send({ group: "c" }))
        const [c, b, a] = yield* groupsOf(project.id)
        yield* Given.merge(a!, b!, c!)
        yield* record(
          send({ group: "c", tags: { from: "c" } }),
          send({ group: "a" }),
          send({ group: "b", severity: "fatal" }),
          send({ group: "d" }),
        )
        const [d, target, ...others] = yield* groupsOf(project.id)
        expect(others).toEqual([])
        expect(target).toMatchObject({ id: a!.id, reportsCount: 6, severity: "fatal" })
        expect(d!.reportsCount).toBe(1)
        expect(yield* eventIdsOf(target!)).toHaveLength(6)
        const filter = { ...GroupFilter.all, tags: [{ key: "from", value: "c" }] }
        expect((yield* groupsOf(project.id, filter)).map(idOf)).toEqual([a!.id])
        expect(yield* countsOf(project.id)).toEqual({ groups: 2, reports: 7 })
      }),
    ),
  ],
}
