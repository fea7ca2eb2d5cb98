/** Groups that are removed while others use them. */
import { type EventId, type Group, type GroupId, type ReportId, UserId } from "@errata/core"
import { GroupStore, maxDiscardedKeys, NoteStore, ReportStore, Storage } from "@errata/core/ports"
import { DateTime, Effect, Option } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { stored } from "./internal/Queue.js"

const anyTime = { since: null, until: null }
const page = { limit: 100, cursor: null }

/** Returns whether the group existed. */
const remove = (
  { id, projectId }: Pick<Group, "id" | "projectId">,
  by: UserId | null = null,
  at: DateTime.Utc = Factory.noon,
) =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const groups = yield* GroupStore
    return yield* storage.transaction(
      Effect.gen(function* () {
        const [locked] = yield* groups.lock(projectId, [id])
        if (locked === undefined) return false
        yield* groups.remove(locked, by, at)
        return true
      }),
    )
  })

/** Long after the last transaction that may use removed groups. */
const later = DateTime.add(Factory.noon, { hours: 1 })

const purge = (limit: number) => Effect.flatMap(GroupStore, (groups) => groups.purge(limit, later))

const purgeAll = (limit: number) => Effect.repeat(purge(limit), { while: (purged) => purged > 0 })

/** Stores a report of a new event in the group of a key, as a recorder does. */
const record = Effect.fnUntraced(function* (group: Pick<Group, "projectId">, key: string, eventId: EventId) {
  const storage = yield* Storage
  const groups = yield* GroupStore
  const reports = yield* ReportStore
  const candidate = Factory.newGroup(group.projectId, { grouping: Factory.grouping({ key }) })
  return yield* storage.transaction(
    Effect.gen(function* () {
      const [locked] = yield* groups.lockOrCreate([candidate], Factory.noon)
      const place = { projectId: group.projectId, id: locked!.groupId }
      const [id] = yield* reports.insert([Factory.newReport(place, { eventId })], Factory.noon)
      yield* groups.save([Given.changeGroup(locked!.group, { reportsCount: locked!.group.reportsCount + 1 })])
      return { groupId: locked!.groupId, id, created: locked!.created }
    }),
  )
})

const keyed = (projectId: Group["projectId"]) => {
  const key = Factory.hash()
  return Effect.map(Given.group(projectId, { grouping: Factory.grouping({ key }) }), (group) => ({
    group,
    key,
  }))
}

export const groupDiscardSuite: ContractSuite = {
  name: "GroupStore.remove",
  cases: [
    contractCase(
      "removes a group and those merged into it, with reports, notes, tags and attachments",
      Effect.gen(function* () {
        const groups = yield* GroupStore
        const reports = yield* ReportStore
        const notes = yield* NoteStore
        const { id: projectId } = yield* Given.project()
        const { group, key } = yield* keyed(projectId)
        const source = yield* Given.group(projectId)
        const kept = yield* Given.group(projectId)
        const all = yield* stored(...[group, source, kept].map(() => Factory.payload(projectId)))
        const events = all.map(() => Factory.eventId())
        const inserted = yield* reports.insert(
          [group, source, kept].map((own, i) => ({
            ...Factory.newReport(own, { eventId: events[i]! }),
            place: all[i]!.place,
          })),
          Factory.noon,
        )
        const ids = inserted as ReadonlyArray<ReportId>
        const file = { filename: "a", contentType: "b", type: "c", index: 0, size: 1 }
        yield* reports.addAttachments([{ ...file, projectId, reportId: ids[0]!, place: all[0]!.place }])
        yield* groups.addTagCounts([{ projectId, groupId: group.id, key: "os", value: "gone", count: 1 }])
        yield* notes.append([Factory.newNote(group), Factory.newNote(source)])
        yield* Given.merge(group, source)

        expect(yield* remove(group)).toBe(true)
        const isGone = Effect.gen(function* () {
          for (const { id } of [group, source]) {
            expect(yield* groups.find(projectId, id)).toEqual(Option.none())
            expect((yield* notes.list(projectId, id, page)).items).toEqual([])
            expect((yield* reports.list(projectId, id, anyTime, page)).items).toEqual([])
          }
          for (const [i, own] of [group, source].entries()) {
            expect(yield* reports.find(projectId, own.id, ids[i]!)).toEqual(Option.none())
            expect(yield* reports.findByEventId(projectId, events[i]!)).toEqual(Option.none())
            expect(yield* reports.place(ids[i]!, null)).toEqual(Option.none())
            expect(yield* reports.projectsOfEvent(events[i]!, null)).toEqual([])
          }
          const located = yield* reports.locate(events.map((eventId) => ({ projectId, eventId })))
          expect(located.map((location) => location?.groupId ?? null)).toEqual([null, null, kept.id])
          const left = yield* reports.find(projectId, kept.id, ids[2]!)
          expect(Buffer.from(Option.getOrThrow(left).payload!.body)).toEqual(
            Buffer.from(all[2]!.payload.body),
          )
        })
        yield* isGone
        yield* purgeAll(100)
        yield* isGone

        // Neither the event id nor the key is known any more.
        const again = yield* record(group, key, events[0]!)
        expect(again.created).toBe(true)
        expect(again.id).not.toBeNull()
        expect([group.id, source.id]).not.toContain(again.groupId)
        const tagged = yield* Effect.fromOption(yield* reports.find(projectId, again.groupId, again.id!))
        expect(tagged.attachments).toEqual([])
      }),
    ),

    contractCase(
      "is stored as the last discarded group for its keys and those of groups merged into it",
      Effect.gen(function* () {
        const groups = yield* GroupStore
        const { id: projectId } = yield* Given.project()
        const other = yield* Given.project()
        const { group } = yield* keyed(projectId)
        const source = yield* Given.group(projectId)
        const kept = yield* Given.group(projectId)
        const alias = Factory.grouping()
        yield* groups.addKey({ projectId, groupId: source.id }, alias)
        yield* groups.save([Given.changeGroup(group, { reportsCount: 5 })])
        yield* Given.merge(group, source)
        const candidates = [
          kept,
          group,
          source,
          { projectId, grouping: alias },
          { ...group, projectId: other.id },
        ]
        const nothing = candidates.map(() => null)
        expect(yield* groups.lastDiscarded(candidates)).toEqual(nothing)
        const by = UserId.make(7)
        yield* remove(group, by)
        yield* purgeAll(100)
        const first = { groupId: group.id, reportsCount: 5, by, at: Factory.noon }
        const last = groups.lastDiscarded(candidates)
        expect(yield* onSecondNode(last)).toEqual([null, first, first, first, null])

        const again = yield* Given.group(projectId, { grouping: group.grouping })
        expect(yield* last).toEqual([null, first, first, first, null])
        yield* remove(again, null, later)
        const second = { groupId: again.id, reportsCount: again.reportsCount, by: null, at: later }
        expect(yield* last).toEqual([null, second, first, first, null])
      }),
    ),

    contractCase(
      "is stored for the latest keys of a project, up to a limit",
      Effect.gen(function* () {
        const storage = yield* Storage
        const groups = yield* GroupStore
        const { id: projectId } = yield* Given.project()
        const [oldest, elsewhere] = [
          yield* Given.group(projectId),
          yield* Given.group((yield* Given.project()).id),
        ]
        yield* remove(oldest)
        yield* remove(elsewhere)
        const many = Array.from({ length: maxDiscardedKeys }, () => Factory.newGroup(projectId))
        const locked = yield* storage.transaction(groups.lockOrCreate(many, Factory.noon))
        const [root, ...sources] = locked.map(({ group }) => group)
        yield* Given.merge(root!, ...sources)
        expect(yield* groups.lastDiscarded([oldest])).not.toEqual([null])
        yield* remove(root!, null, later)
        const [ofOldest, ofElsewhere, ...others] = yield* groups.lastDiscarded([oldest, elsewhere, ...many])
        expect(ofOldest).toBe(null)
        expect(ofElsewhere).toMatchObject({ groupId: elsewhere.id })
        expect(new Set(others.map((discarded) => discarded?.groupId))).toEqual(new Set([root!.id]))
      }),
    ),

    contractCase(
      "is purged in steps, which another node can continue",
      Effect.gen(function* () {
        const { id: projectId } = yield* Given.project()
        const { group, key } = yield* keyed(projectId)
        const events = Array.from({ length: 5 }, () => Factory.eventId())
        for (const eventId of events) yield* record(group, key, eventId)
        yield* remove(group)
        yield* purge(1)
        yield* onSecondNode(purge(2))
        yield* Effect.all([purgeAll(1), onSecondNode(purgeAll(2))], { concurrency: 2 })
        expect(yield* purge(100)).toBe(0)
        for (const eventId of events) {
          const { id } = yield* record(group, Factory.hash(), eventId)
          expect(id).not.toBeNull()
        }
      }),
    ),

    contractCase(
      "is removed once by concurrent callers",
      Effect.gen(function* () {
        const { id } = yield* Given.project()
        const { group } = yield* keyed(id)
        const removed = yield* Effect.all(
          [remove(group), onSecondNode(remove(group)), remove(group), onSecondNode(remove(group))],
          { concurrency: "unbounded" },
        )
        expect(removed.filter(Boolean)).toEqual([true])
      }),
    ),

    contractCase(
      "removes reports recorded before it, and none recorded after it",
      Effect.gen(function* () {
        const groups = yield* GroupStore
        const reports = yield* ReportStore
        const { id: projectId } = yield* Given.project()
        const { group, key } = yield* keyed(projectId)
        let root: GroupId = group.id
        for (let round = 0; round < 8; round++) {
          const eventId = Factory.eventId()
          const [, { groupId, id }] = yield* Effect.all(
            [remove({ projectId, id: root }), onSecondNode(record(group, key, eventId))],
            { concurrency: "unbounded" },
          )
          const found = yield* reports.findByEventId(projectId, eventId)
          expect(Option.isSome(found)).toBe(Option.isSome(yield* groups.find(projectId, groupId)))
          if (Option.isSome(found)) {
            expect(found.value).toMatchObject({ id, groupId })
            root = groupId
          } else {
            root = (yield* record(group, key, Factory.eventId())).groupId
          }
        }
        yield* purgeAll(100)
        expect((yield* reports.list(projectId, root, anyTime, page)).items.length).toBeGreaterThan(0)
      }),
    ),
  ],
}
