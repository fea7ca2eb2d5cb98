/** Merging groups: the data that moves to the target, and the group of later reports. */
import { type EventId, type Group, GroupFilter, type ReportId, SearchQuery, StorageError } from "@errata/core"
import {
  type GroupLifecycle,
  GroupStore,
  NoteStore,
  ProjectStore,
  ReportStore,
  Storage,
} from "@errata/core/ports"
import { DateTime, Deferred, Effect, Fiber, Option } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { idOf, passTime, readPages } from "./internal/Paging.js"

const all = { limit: 100, cursor: null }

const current = (group: Group) =>
  Effect.flatMap(GroupStore, (groups) =>
    Effect.flatMap(groups.find(group.projectId, group.id), Effect.fromOption),
  )

const lockOrCreate = Effect.fnUntraced(function* (candidate: GroupLifecycle.NewGroup) {
  const { transaction } = yield* Storage
  const groups = yield* GroupStore
  const [locked] = yield* transaction(groups.lockOrCreate([candidate], Factory.noon))
  return locked!
})

/** True if a transaction must be retried because its group was merged meanwhile. */
const isConflict = (error: unknown) => error instanceof StorageError && error.reason === "conflict"

/** A candidate with the group's grouping. */
const candidateOf = (group: Group) => Factory.newGroup(group.projectId, { grouping: group.grouping })

const reportsOf = Effect.fnUntraced(function* (group: Group) {
  const reports = yield* ReportStore
  const page = yield* reports.list(group.projectId, group.id, { since: null, until: null }, all)
  return page.items.map(idOf)
})

const insert = Effect.fnUntraced(function* (group: Group) {
  const reports = yield* ReportStore
  const report = Factory.newReport(group)
  const [id] = yield* reports.insert([report], Factory.noon)
  return { id: id as ReportId, eventId: report.event.eventId }
})

const addTag = (group: Group, key: string, value: string) =>
  Effect.flatMap(GroupStore, (groups) =>
    groups.addTagCounts([{ projectId: group.projectId, groupId: group.id, key, value, count: 2 }]),
  )

const listTagged = Effect.fnUntraced(function* (group: Group, key: string, value: string) {
  const groups = yield* GroupStore
  const filter = { ...GroupFilter.all, tags: [{ key, value }] }
  return (yield* groups.list(group.projectId, filter, all, Factory.noon)).items.map(idOf)
})

/** A project with three groups: the target of merges and two sources. */
const threeGroups = Effect.gen(function* () {
  const project = yield* Given.project()
  const target = yield* Given.group(project.id)
  const first = yield* Given.group(project.id)
  const second = yield* Given.group(project.id)
  return { project, target, first, second }
})

export const groupMergeSuite: ContractSuite = {
  name: "GroupStore.merge",
  cases: [
    contractCase(
      "finds a group by the text of those that were merged into it",
      Effect.gen(function* () {
        const groups = yield* GroupStore
        const project = yield* Given.project()
        const made = (errorMessage: string) => Given.group(project.id, { errorType: "E", errorMessage })
        const own = yield* made("a frozen kettle")
        const root = yield* made("nothing")
        const member = yield* made("a frozen kettle %%%")
        const half = yield* made("a kettle")
        const otherHalf = yield* made("frozen tea")
        const alone = yield* made("frozen kettle")
        yield* addTag(root, "region", "eu")
        yield* addTag(member, "os", "plan9")
        yield* Given.merge(root, member)
        yield* Given.merge(half, otherHalf)
        const find = (query: string, limit = 100) =>
          Effect.map(
            readPages(limit, (page) =>
              groups.list(
                project.id,
                GroupFilter.make(SearchQuery.parse(query), {}, 0, Factory.noon.epochMilliseconds),
                page,
                Factory.noon,
              ),
            ),
            (pages) => pages.flat().map(idOf),
          )
        for (const limit of [1, 2, 100]) {
          expect(yield* find("frozen kettle", limit)).toEqual([alone.id, root.id, own.id])
          expect(yield* find('"frozen kettle"', limit)).toEqual([alone.id, root.id, own.id])
          expect(yield* find("frozen", limit)).toEqual([alone.id, half.id, root.id, own.id])
        }
        expect(yield* find("%%%")).toEqual([root.id])
        expect(yield* find("kettle tags.region:eu tags.os:plan9 is:unresolved")).toEqual([root.id])
        expect(yield* find("kettle tags.region:us")).toEqual([])
        expect(yield* find("kettle is:resolved")).toEqual([])
        yield* Given.unmerge(yield* current(root), member)
        expect(yield* find("%%%")).toEqual([member.id])
      }),
    ),

    contractCase(
      "saves the target and the sources of a merge",
      Effect.gen(function* () {
        const project = yield* Given.project()
        const target = yield* Given.group(project.id, { severity: "info" }, () => ({ reportsCount: 2 }))
        const source = yield* Given.group(
          project.id,
          { severity: "fatal", occurredAt: DateTime.subtract(Factory.noon, { days: 1 }) },
          () => ({ reportsCount: 5, lastOccurredAt: DateTime.add(Factory.noon, { days: 1 }) }),
        )
        yield* Given.merge(target, source)
        expect(yield* current(target)).toMatchObject({
          errorType: target.errorType,
          reportsCount: 7,
          severity: "fatal",
          firstOccurredAt: source.firstOccurredAt,
          lastOccurredAt: source.lastOccurredAt,
          mergedIntoId: null,
        })
        expect((yield* current(source)).mergedIntoId).toBe(target.id)
      }),
    ),

    contractCase(
      "removes the sources from lists and from the project's count",
      Effect.gen(function* () {
        const groups = yield* GroupStore
        const projects = yield* ProjectStore
        const { first, project, second, target } = yield* threeGroups
        yield* projects.addCounts([{ projectId: project.id, groups: 3, reports: 0 }], Factory.noon)
        yield* Given.merge(target, first, second)
        const listed = yield* groups.list(project.id, GroupFilter.all, all, Factory.noon)
        expect(listed.items.map(idOf)).toEqual([target.id])
        expect((yield* Effect.fromOption(yield* projects.find(project.id))).groupsCount).toBe(1)
      }),
    ),

    contractCase(
      "lists the reports of the sources as the target's, without moving them",
      Effect.gen(function* () {
        const reports = yield* ReportStore
        const { first, project, second, target } = yield* threeGroups
        const [a, b, c, d] = [
          yield* insert(first),
          yield* insert(target),
          yield* insert(second),
          yield* insert(first),
        ]
        yield* Given.merge(target, first, second)
        expect(yield* reportsOf(target)).toEqual([d.id, c.id, b.id, a.id])
        expect((yield* Effect.fromOption(yield* reports.find(project.id, target.id, a.id))).groupId).toBe(
          target.id,
        )
        expect(Option.isNone(yield* reports.find(project.id, first.id, a.id))).toBe(true)
        const byEvent = yield* Effect.fromOption(
          yield* reports.findByEventId(project.id, c.eventId as EventId),
        )
        expect([byEvent.id, byEvent.groupId]).toEqual([c.id, target.id])
        const listed = yield* reports.list(project.id, target.id, { since: null, until: null }, all)
        expect(listed.items.map(({ groupId }) => groupId)).toEqual(listed.items.map(() => target.id))
        expect(yield* reports.locate([{ projectId: project.id, eventId: c.eventId }])).toEqual([
          { reportId: c.id, groupId: second.id },
        ])
        const e = yield* insert(target)
        expect((yield* reportsOf(target))[0]).toBe(e.id)
        yield* reports.insert([Factory.newReport(second, { environment: "of a source" })], Factory.noon)
        expect(yield* reports.latest(project.id, [target.id, first.id])).toEqual([
          { groupId: target.id, environment: "of a source", releaseVersion: "" },
        ])
      }),
    ),

    contractCase(
      "lists and counts the notes of the sources as the target's",
      Effect.gen(function* () {
        const notes = yield* NoteStore
        const { first, project, second, target } = yield* threeGroups
        yield* notes.append([target, first, first, second].map((group) => Factory.newNote(group)))
        yield* Given.merge(target, first, second)
        expect((yield* current(target)).notesCount).toBe(4)
        yield* notes.append([Factory.newNote(target), Factory.newNote(first)])
        expect((yield* current(target)).notesCount).toBe(6)
        const { items } = yield* notes.list(project.id, target.id, all)
        expect(items.map(({ groupId }) => groupId)).toEqual([1, 2, 3, 4, 5, 6].map(() => target.id))
        const [last] = items
        expect(yield* notes.find(project.id, target.id, last!.id)).toEqual(Option.some(last))
        expect(yield* notes.remove(project.id, target.id, last!.id)).toBe(true)
        expect(yield* notes.find(project.id, target.id, last!.id)).toEqual(Option.none())
        expect((yield* current(target)).notesCount).toBe(5)
      }),
    ),

    contractCase(
      "finds the target by the tags of the sources",
      Effect.gen(function* () {
        const { first, project, second, target } = yield* threeGroups
        yield* addTag(target, "region", "eu")
        yield* addTag(first, "region", "eu")
        yield* addTag(first, "region", "us")
        yield* addTag(second, "region", "us")
        yield* addTag(second, "server_name", "web-9")
        yield* Given.merge(target, first, second)
        for (const [key, value] of [
          ["region", "eu"],
          ["region", "us"],
          ["server_name", "web-9"],
        ] as const) {
          expect(yield* listTagged(target, key, value)).toEqual([target.id])
        }
        yield* addTag(second, "region", "asia")
        expect(yield* listTagged(target, "region", "asia")).toEqual([target.id])
        expect(yield* listTagged(target, "region", "nowhere")).toEqual([])
        // One tag of each source.
        const tags = [
          { key: "region", value: "eu" },
          { key: "server_name", value: "web-9" },
        ]
        const groups = yield* GroupStore
        const { items } = yield* groups.list(
          project.id,
          { ...GroupFilter.all, tags, severities: ["error"] },
          all,
          Factory.noon,
        )
        expect(items.map(idOf)).toEqual([target.id])
      }),
    ),

    contractCase(
      "finds the target by the keys of the sources",
      Effect.gen(function* () {
        const { first, second, target } = yield* threeGroups
        yield* Given.merge(target, first, second)
        for (const group of [first, second, target]) {
          const locked = yield* lockOrCreate(candidateOf(group))
          expect([locked.group.id, locked.groupId, locked.created]).toEqual([target.id, group.id, false])
        }
        const { transaction } = yield* Storage
        const groups = yield* GroupStore
        const both = yield* transaction(
          groups.lockOrCreate([candidateOf(second), candidateOf(target), candidateOf(first)], Factory.noon),
        )
        expect(both.map(({ group }) => group.id)).toEqual([target.id, target.id, target.id])
      }),
    ),

    contractCase(
      "finds the last target by keys of groups that were merged before",
      Effect.gen(function* () {
        const { first, second, target } = yield* threeGroups
        const report = yield* insert(second)
        yield* Given.merge(first, second)
        yield* Given.merge(target, first)
        for (const group of [first, second]) {
          expect((yield* lockOrCreate(candidateOf(group))).group.id).toBe(target.id)
        }
        expect(yield* reportsOf(target)).toEqual([report.id])
      }),
    ),

    contractCase(
      "changes nothing in a transaction that fails",
      Effect.gen(function* () {
        const { transaction } = yield* Storage
        const { first, target } = yield* threeGroups
        const report = yield* insert(first)
        yield* addTag(first, "region", "eu")
        yield* Effect.exit(transaction(Effect.andThen(Given.merge(target, first), Effect.fail("intended"))))
        expect((yield* current(first)).mergedIntoId).toBeNull()
        expect(yield* reportsOf(first)).toEqual([report.id])
        expect(yield* listTagged(first, "region", "eu")).toEqual([first.id])
        expect((yield* lockOrCreate(candidateOf(first))).group.id).toBe(first.id)
      }),
    ),

    contractCase(
      "returns the target to a caller that locks a source during its merge",
      Effect.gen(function* () {
        const storage = yield* Storage
        const { first, target } = yield* threeGroups
        const merged = yield* Deferred.make<void>()
        const end = yield* Deferred.make<void>()
        const merging = yield* Effect.forkChild(
          storage.transaction(
            Effect.gen(function* () {
              yield* Given.merge(target, first)
              yield* Deferred.succeed(merged, undefined)
              yield* Deferred.await(end)
            }),
          ),
        )
        yield* Deferred.await(merged)
        const asking = yield* Effect.forkChild(
          onSecondNode(Effect.retry(lockOrCreate(candidateOf(first)), { while: isConflict, times: 5 })),
        )
        yield* passTime(storage.ping)
        yield* Deferred.succeed(end, undefined)
        yield* Fiber.join(merging)
        const locked = yield* Fiber.join(asking)
        expect([locked.group.id, locked.created]).toEqual([target.id, false])
      }),
    ),
  ],
}
