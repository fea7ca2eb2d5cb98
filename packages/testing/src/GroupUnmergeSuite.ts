/** Undoing merges: each group looks as if it had never been merged. */
import {
  AccessPolicy,
  Actor,
  CurrentActor,
  type Group,
  GroupId,
  Groups,
  MergeId,
  StorageError,
} from "@errata/core"
import { GroupStore, NoteStore, ProjectStore } from "@errata/core/ports"
import { DateTime, Effect, Layer, Option } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onRealClock, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import * as MergeModel from "./internal/MergeModel.js"
import { idOf, readPages } from "./internal/Paging.js"
import {
  append,
  countsOf,
  eventIds,
  eventIdsOf,
  given,
  groupsOf,
  record,
  recordAll,
} from "./internal/Pipeline.js"

const all = { limit: 100, cursor: null }

const current = (group: Group) =>
  Effect.flatMap(GroupStore, (groups) =>
    Effect.flatMap(groups.find(group.projectId, group.id), Effect.fromOption),
  )

const mergesOf = (group: Group) =>
  Effect.flatMap(GroupStore, (groups) =>
    Effect.map(groups.listMerges(group.projectId, group.id, all), ({ items }) => items),
  )

const edgesOf = (group: Group) =>
  Effect.map(mergesOf(group), (merges) => merges.map(({ sourceId, targetId }) => [sourceId, targetId]))

const groupsWithReports = Effect.fnUntraced(function* (count: number) {
  const project = yield* Given.project()
  const groups = yield* Effect.forEach(Array.from({ length: count }), () =>
    Given.group(project.id, {}, () => ({ reportsCount: 1 })),
  )
  yield* (yield* ProjectStore).addCounts(
    [{ projectId: project.id, groups: count, reports: count }],
    Factory.noon,
  )
  return { project, groups }
})

const save = Effect.fnUntraced(function* (group: Group, fields: Partial<Group>) {
  const groups = yield* GroupStore
  yield* groups.save([Given.changeGroup(yield* current(group), fields)])
})

const mutedAt = (reportsCount: number) =>
  ({ at: Factory.noon, by: null, condition: { _tag: "UntilReportsCount", reportsCount } }) as const

/** The number of reports at which a group's mute ends. */
const muteEnd = (group: Group) =>
  Effect.map(current(group), ({ mute }) =>
    mute?.condition._tag === "UntilReportsCount" ? mute.condition.reportsCount : null,
  )

const services = Layer.provideMerge(Groups.Default, AccessPolicy.layer)

const permitted = <Rule extends "groups.read" | "groups.change">(rule: Rule, group: Group) =>
  Effect.flatMap(AccessPolicy.AccessPolicy, (access) => access.project(rule, group.projectId)).pipe(
    Effect.provideService(CurrentActor, Actor.System()),
  )

/** Retries after conflicts, as services do. */
const retried = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.retry(effect, {
    while: (error) => error instanceof StorageError && error.reason === "conflict",
    times: 50,
  })

export const groupUnmergeSuite: ContractSuite = {
  name: "GroupStore.unmerge",
  cases: [
    contractCase(
      "restores everything that a merge moved, despite changes in between",
      Effect.gen(function* () {
        const { project, send } = yield* given
        const now = yield* DateTime.now
        const early = DateTime.subtract(now, { hours: 2 }).epochMilliseconds
        const a = send({ group: "a" })
        const b = send({ group: "b", severity: "warning" })
        yield* record(a)
        yield* record(b)
        const [source, target] = yield* groupsOf(project.id)
        yield* Given.merge(target!, source!)
        const late = send({ group: "b", severity: "fatal", occurredAt: early, tags: { from: "b" } })
        const other = send({ group: "a" })
        yield* record(late, other)
        yield* record(
          send({
            group: null,
            feedback: [{ eventId: late.eventId, name: "", email: "", comments: "Oh" }],
          }),
        )
        expect(yield* current(target!)).toMatchObject({
          reportsCount: 4,
          notesCount: 1,
          severity: "fatal",
          hasMembers: true,
        })
        yield* Given.unmerge(target!, source!)
        const [freed, rest] = yield* groupsOf(project.id)
        expect(freed).toMatchObject({
          id: source!.id,
          reportsCount: 2,
          notesCount: 1,
          severity: "fatal",
          firstOccurredAt: DateTime.makeUnsafe(early),
          lastOccurredAt: source!.lastOccurredAt,
          hasMembers: false,
        })
        expect(rest).toMatchObject({
          id: target!.id,
          reportsCount: 2,
          notesCount: 0,
          severity: "error",
          firstOccurredAt: target!.firstOccurredAt,
          hasMembers: false,
        })
        expect(yield* eventIdsOf(freed!)).toEqual([late.eventId, b.eventId])
        expect(yield* eventIdsOf(rest!)).toEqual([other.eventId, a.eventId])
        expect(yield* countsOf(project.id)).toEqual({ groups: 2, reports: 4 })
        expect(yield* mergesOf(target!)).toEqual([])
        yield* record(send({ group: "b" }), send({ group: "a" }))
        expect((yield* groupsOf(project.id)).map(({ reportsCount }) => reportsCount)).toEqual([3, 3])
      }),
    ),

    contractCase(
      "is exact after any order of merges, unmerges and writes",
      Effect.forEach(MergeModel.scenarios(5), MergeModel.run, { discard: true }),
    ),

    contractCase(
      "lists the merges of a whole tree newest first, page by page",
      Effect.gen(function* () {
        const store = yield* GroupStore
        const { groups, project } = yield* groupsWithReports(6)
        const [a, b, c, d, e, f] = groups as [Group, Group, Group, Group, Group, Group]
        yield* Given.merge(b, c, d)
        yield* Given.merge(a, b)
        yield* Given.merge(e, f)
        const pages = yield* readPages(2, (page) => store.listMerges(project.id, a.id, page))
        expect(pages.map(({ length }) => length)).toEqual([2, 1])
        const merges = pages.flat()
        expect(merges.map(idOf)).toEqual(merges.map(idOf).sort((x, y) => y - x))
        expect(merges[0]).toMatchObject({
          projectId: project.id,
          sourceId: b.id,
          targetId: a.id,
          mergedBy: null,
          sourceTitle: { errorType: b.errorType, errorMessage: b.errorMessage, culprit: b.culprit },
        })
        expect(merges.slice(1).map(({ sourceId, targetId }) => [sourceId, targetId])).toEqual(
          expect.arrayContaining([
            [c.id, b.id],
            [d.id, b.id],
          ]),
        )
        expect(yield* edgesOf(e)).toEqual([[f.id, e.id]])
        expect(yield* edgesOf(b)).toEqual([])
      }),
    ),

    contractCase(
      "finds no merge of another project, and no unknown one",
      Effect.gen(function* () {
        const store = yield* GroupStore
        const { groups, project } = yield* groupsWithReports(2)
        yield* Given.merge(groups[0]!, groups[1]!)
        const [merge] = yield* mergesOf(groups[0]!)
        const other = yield* Given.project()
        expect(Option.isNone(yield* store.lockMerge(other.id, merge!.id))).toBe(true)
        expect((yield* store.listMerges(other.id, groups[0]!.id, all)).items).toEqual([])
        const unknown = MergeId.make(merge!.id + 1_000_000)
        expect(Option.isNone(yield* store.lockMerge(project.id, unknown))).toBe(true)
      }),
    ),

    contractCase(
      "separates a group together with the groups merged into it",
      Effect.gen(function* () {
        const { groups, project } = yield* groupsWithReports(5)
        const [a, b, c, d, e] = groups as [Group, Group, Group, Group, Group]
        yield* Given.merge(c, d)
        yield* Given.merge(b, c, e)
        yield* Given.merge(a, b)
        for (const member of [b, c, d, e]) expect((yield* current(member)).mergedIntoId).toBe(a.id)
        yield* Given.unmerge(a, c)
        expect(yield* current(c)).toMatchObject({ reportsCount: 2, mergedIntoId: null, hasMembers: true })
        expect(yield* current(d)).toMatchObject({ mergedIntoId: c.id })
        expect(yield* current(a)).toMatchObject({ reportsCount: 3, hasMembers: true })
        expect(yield* edgesOf(c)).toEqual([[d.id, c.id]])
        expect(new Set(yield* edgesOf(a))).toEqual(
          new Set([
            [b.id, a.id],
            [e.id, b.id],
          ]),
        )
        expect((yield* groupsOf(project.id)).map(idOf)).toEqual([c.id, a.id])
        expect((yield* countsOf(project.id)).groups).toBe(2)
        // A released group can be merged elsewhere, and the others can be separated.
        yield* Given.merge(c, a)
        yield* Given.unmerge(c, e)
        yield* Given.unmerge(c, a)
        expect(yield* current(a)).toMatchObject({ reportsCount: 2, hasMembers: true })
        expect(yield* current(e)).toMatchObject({ reportsCount: 1, mergedIntoId: null, hasMembers: false })
      }),
    ),

    contractCase(
      "keeps the distance of a mute by count from its end",
      Effect.gen(function* () {
        const { groups } = yield* groupsWithReports(3)
        const [a, b, c] = groups as [Group, Group, Group]
        yield* save(a, { mute: mutedAt(10) })
        yield* save(b, { mute: mutedAt(5), resolution: { at: Factory.noon, by: null, inRelease: null } })
        yield* Given.merge(b, c)
        yield* Given.merge(a, b)
        expect([yield* muteEnd(a), yield* muteEnd(b)]).toEqual([12, 6])
        yield* Given.unmerge(a, c)
        expect([yield* muteEnd(a), yield* muteEnd(b)]).toEqual([11, 5])
        yield* Given.unmerge(a, b)
        expect([yield* muteEnd(a), yield* muteEnd(b)]).toEqual([10, 5])
        expect(yield* current(b)).toMatchObject({
          resolution: { at: Factory.noon, by: null, inRelease: null },
        })
      }),
    ),

    contractCase(
      "ends a mute by count that reached its end while the group was merged",
      Effect.gen(function* () {
        const { project, send } = yield* given
        yield* record(send({ group: "a" }))
        yield* record(send({ group: "b" }))
        const [b, a] = yield* groupsOf(project.id)
        yield* save(b!, { mute: mutedAt(2) })
        yield* Given.merge(a!, b!)
        yield* record(send({ group: "b" }))
        expect(yield* muteEnd(b!)).toBe(2)
        yield* Given.unmerge(a!, b!)
        expect(yield* current(b!)).toMatchObject({ reportsCount: 2, mute: null })
      }),
    ),

    contractCase(
      "applies the project's current mute to the separated group",
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const { groups, project } = yield* groupsWithReports(3)
        const [a, b, c] = groups as [Group, Group, Group]
        const now = yield* DateTime.now
        const before = { at: now, by: null, until: null }
        yield* save(c, { projectMute: before })
        yield* Given.merge(a, b, c)
        yield* Given.unmerge(a, c)
        expect((yield* current(c)).projectMute).toBeNull()
        const since = { at: now, by: null, until: DateTime.add(now, { hours: 1 }) }
        yield* projects.setMute(project.id, since, now)
        yield* Given.unmerge(a, b)
        expect((yield* current(b)).projectMute).toEqual(since)
        yield* projects.setMute(project.id, { ...since, until: now }, now)
        yield* Given.merge(a, b)
        yield* Given.unmerge(a, b)
        expect((yield* current(b)).projectMute).toBeNull()
      }),
    ),

    contractCase(
      "changes nothing in a transaction that fails",
      Effect.gen(function* () {
        const { groups } = yield* groupsWithReports(2)
        const [a, b] = groups as [Group, Group]
        yield* Given.merge(a, b)
        const before = [yield* current(a), yield* current(b), yield* mergesOf(a)]
        yield* Effect.exit(Given.undone(Given.unmerge(a, b)))
        expect([yield* current(a), yield* current(b), yield* mergesOf(a)]).toEqual(before)
      }),
    ),

    contractCase(
      "loses nothing if groups are merged and unmerged during recording",
      Effect.gen(function* () {
        const { project, send } = yield* given
        const names = ["a", "b", "c", "d"]
        const first = names.map((group) => send({ group, message: group }))
        yield* record(...first)
        const byName = Effect.map(groupsOf(project.id), (groups) =>
          names.map((name) => groups.find(({ errorMessage }) => errorMessage === name)!),
        )
        const groups = yield* byName
        const merging = Effect.forEach(
          Array.from({ length: 12 }),
          (_, i) =>
            Effect.gen(function* () {
              const [a, b, c] = [0, 1, 2].map((offset) => groups[(i + offset) % 4]!) as [Group, Group, Group]
              yield* retried(Given.merge(b, c))
              yield* retried(Given.merge(a, b))
              yield* retried(Given.unmerge(a, i % 2 === 0 ? b : c))
              yield* retried(i % 2 === 0 ? Given.unmerge(b, c) : Given.unmerge(a, b))
            }),
          { discard: true },
        )
        const later = Array.from({ length: 12 }, () => names.map((group) => send({ group })))
        const recording = Effect.forEach(
          later,
          (payloads, i) => {
            const said = { eventId: first[i % 4]!.eventId, name: "", email: "", comments: "Oh" }
            const sent = append(
              ...(i % 2 === 0 ? payloads : payloads.toReversed()),
              send({ group: null, feedback: [said] }),
            )
            // After too many conflicts the recorder releases its batch, and its worker leases it again.
            return Effect.andThen(sent, retried(recordAll))
          },
          { discard: true },
        )
        yield* Effect.all([merging, onSecondNode(recording)], { concurrency: "unbounded" })
        const after = yield* byName
        expect(
          after.map(({ hasMembers, id, notesCount, reportsCount }) => [
            id,
            hasMembers,
            reportsCount,
            notesCount,
          ]),
        ).toEqual(groups.map(({ id }) => [id, false, 13, 3]))
        const recorded = yield* Effect.forEach(after, eventIdsOf)
        expect(recorded.map((ids) => [...ids].sort())).toEqual(
          names.map((_, i) => eventIds([first[i]!, ...later.map((payloads) => payloads[i]!)]).sort()),
        )
        expect(yield* countsOf(project.id)).toEqual({ groups: 4, reports: 52 })
      }).pipe(onRealClock),
    ),

    contractCase(
      "succeeds once for concurrent callers",
      Effect.gen(function* () {
        const { groups, project } = yield* groupsWithReports(2)
        const [a, b] = groups as [Group, Group]
        yield* Given.merge(a, b)
        const [merge] = yield* mergesOf(a)
        const change = yield* permitted("groups.change", a)
        const ask = Effect.flatMap(Groups, (service) => service.unmerge(change, a.id, merge!.id)).pipe(
          Effect.provide(services),
          Effect.result,
          Effect.map((result) => (result._tag === "Failure" ? result.failure._tag : "done")),
        )
        const answers = yield* Effect.all([ask, onSecondNode(ask)], { concurrency: "unbounded" })
        expect(answers.toSorted()).toEqual(["MergeNotFound", "done"])
        expect((yield* countsOf(project.id)).groups).toBe(2)
      }).pipe(Effect.provide(services), onRealClock),
    ),

    contractCase(
      "adds a note to both groups, and requires a merge of the given group",
      Effect.gen(function* () {
        const service = yield* Groups
        const notes = yield* NoteStore
        const { groups } = yield* groupsWithReports(3)
        const [a, b, c] = groups as [Group, Group, Group]
        const change = yield* permitted("groups.change", a)
        const read = yield* permitted("groups.read", a)
        yield* service.merge(change, a.id, [b.id])
        const [merge] = (yield* service.listMerges(read, a.id, all)).items
        expect(yield* Effect.flip(service.listMerges(read, b.id, all))).toMatchObject({ mergedIntoId: a.id })
        expect(yield* Effect.flip(service.unmerge(change, c.id, merge!.id))).toMatchObject({
          _tag: "MergeNotFound",
          mergeId: merge!.id,
        })
        expect(yield* Effect.flip(service.unmerge(change, b.id, merge!.id))).toMatchObject({
          _tag: "GroupNotFound",
          mergedIntoId: a.id,
        })
        const unknown = GroupId.make(c.id + 1_000_000)
        expect(yield* Effect.flip(service.unmerge(change, unknown, merge!.id))).toMatchObject({
          _tag: "GroupNotFound",
          mergedIntoId: null,
        })
        yield* service.unmerge(change, a.id, merge!.id)
        const contents = (group: Group) =>
          Effect.map(notes.list(group.projectId, group.id, all), ({ items }) =>
            items.map(({ content }) => content),
          )
        expect(yield* contents(a)).toEqual([`Unmerged from group ${b.id}`, `Merged with group ${b.id}`])
        expect(yield* contents(b)).toEqual([`Unmerged from group ${a.id}`])
        expect((yield* current(a)).notesCount).toBe(2)
        expect((yield* current(b)).notesCount).toBe(1)
      }).pipe(Effect.provide(services)),
    ),
  ],
}
