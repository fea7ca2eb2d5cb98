import { type Group, NoteId } from "@errata/core"
import { GroupStore, NoteStore, Storage, UserStore } from "@errata/core/ports"
import { DateTime, Effect, Option } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { idOf, readPages } from "./internal/Paging.js"

const all = { limit: 100, cursor: null }

const newGroup = Effect.flatMap(Given.project(), ({ id }) => Given.group(id))

const insert = (group: Group, overrides: Parameters<typeof Factory.newNote>[1] = {}) =>
  Effect.flatMap(NoteStore, (notes) => notes.insert(Factory.newNote(group, overrides)))

const remove = (group: Group, id: NoteId) =>
  Effect.flatMap(NoteStore, (notes) => notes.remove(group.projectId, group.id, id))

const list = (group: Group) =>
  Effect.flatMap(NoteStore, (notes) => notes.list(group.projectId, group.id, all))

const notesCount = Effect.fnUntraced(function* (group: Group) {
  const groups = yield* GroupStore
  return (yield* Effect.fromOption(yield* groups.find(group.projectId, group.id))).notesCount
})

export const noteStoreSuite: ContractSuite = {
  name: "NoteStore",
  cases: [
    contractCase(
      "counts notes on their groups",
      Effect.gen(function* () {
        const notes = yield* NoteStore
        const project = yield* Given.project()
        const { id: userId } = yield* Given.user()
        const a = yield* Given.group(project.id)
        const b = yield* Given.group(project.id)
        yield* notes.append([
          Factory.newNote(a, { userId }),
          Factory.newNote(b, { automated: true, content: "Resolved" }),
          Factory.newNote(a),
        ])
        yield* notes.append([Factory.newNote(a)])
        yield* notes.append([])
        expect([yield* notesCount(a), yield* notesCount(b)]).toEqual([3, 1])
      }),
    ),

    contractCase(
      "lists recent notes of a project, newest first, on merged groups' targets",
      Effect.gen(function* () {
        const notes = yield* NoteStore
        const project = yield* Given.project()
        const a = yield* Given.group(project.id)
        const b = yield* Given.group(project.id)
        const at = (minutes: number) => DateTime.add(Factory.noon, { minutes })
        yield* insert(yield* newGroup, { createdAt: at(9) })
        yield* insert(a, { content: "first", createdAt: at(1) })
        yield* insert(a, { content: "late", createdAt: at(0) })
        yield* insert(b, { content: "Resolved", automated: true, createdAt: at(3) })
        yield* insert(b, { content: "same time", createdAt: at(3) })
        const recent = (since: DateTime.Utc, limit: number) => notes.recent(project.id, since, limit)
        const all = [
          { groupId: b.id, content: "same time", automated: false, createdAt: at(3) },
          { groupId: b.id, content: "Resolved", automated: true, createdAt: at(3) },
          { groupId: a.id, content: "first", automated: false, createdAt: at(1) },
        ]
        expect(yield* recent(at(1), 10)).toEqual(all)
        expect(yield* recent(at(1), 2)).toEqual(all.slice(0, 2))
        expect(yield* recent(at(4), 10)).toEqual([])
        yield* Given.merge(a, b)
        expect(yield* recent(at(1), 10)).toEqual(all.map((note) => ({ ...note, groupId: a.id })))
      }),
    ),

    contractCase(
      "counts notes that two nodes add concurrently",
      Effect.gen(function* () {
        const group = yield* Given.group((yield* Given.project()).id)
        const append = Effect.flatMap(NoteStore, (notes) => notes.append([Factory.newNote(group)]))
        yield* Effect.all([append, onSecondNode(append), append, onSecondNode(append)], {
          concurrency: "unbounded",
        })
        expect(yield* notesCount(group)).toBe(4)
      }),
    ),

    contractCase(
      "keeps the count when the group is saved",
      Effect.gen(function* () {
        const notes = yield* NoteStore
        const groups = yield* GroupStore
        const group = yield* Given.group((yield* Given.project()).id)
        yield* notes.append([Factory.newNote(group)])
        yield* groups.save([group])
        expect(yield* notesCount(group)).toBe(1)
      }),
    ),

    contractCase(
      "returns a note as stored, with its author",
      Effect.gen(function* () {
        const notes = yield* NoteStore
        const group = yield* newGroup
        const { emailAddress, id: userId, name } = yield* Given.user()
        const createdAt = DateTime.add(Factory.noon, { milliseconds: 5 })
        const content = '  "Seen"\\ on\n{staging}, 昨日 🐛 NULL '
        const inserted = yield* insert(group, { userId, content, createdAt })
        expect(inserted).toMatchObject({
          projectId: group.projectId,
          groupId: group.id,
          content,
          automated: false,
          user: { id: userId, name, emailAddress },
          createdAt,
        })
        expect(yield* notes.find(group.projectId, group.id, inserted.id)).toEqual(Option.some(inserted))
        expect((yield* list(group)).items).toEqual([inserted])
        expect(yield* notesCount(group)).toBe(1)
      }),
    ),

    contractCase(
      "keeps notes without an author, and notes of deactivated users",
      Effect.gen(function* () {
        const users = yield* UserStore
        const group = yield* newGroup
        const { id: userId, name } = yield* Given.user()
        yield* insert(group, { userId })
        yield* insert(group, { automated: true })
        yield* users.deactivate(userId, Factory.noon)
        expect((yield* list(group)).items.map(({ automated, user }) => [automated, user?.name])).toEqual([
          [true, undefined],
          [false, name],
        ])
      }),
    ),

    contractCase(
      "lists the notes on a group newest first, page by page, during inserts",
      Effect.gen(function* () {
        const notes = yield* NoteStore
        const group = yield* newGroup
        const other = yield* Given.group(group.projectId)
        const ids: Array<NoteId> = []
        for (let i = 0; i < 5; i++) {
          // Includes an automated note.
          if (i === 2) yield* notes.append([Factory.newNote(group, { automated: true, content: "Resolved" })])
          else ids.push((yield* insert(group)).id)
          yield* insert(other)
        }
        const pages = yield* readPages(
          2,
          (page) => notes.list(group.projectId, group.id, page),
          insert(group),
        )
        const [a, b, d, e] = ids
        const automated = pages[1]![0]!
        expect(automated).toMatchObject({ automated: true, content: "Resolved" })
        expect(pages.map((page) => page.map(idOf))).toEqual([[e, d], [automated.id, b], [a]])
        const foreign = yield* Given.project()
        expect(yield* notes.list(foreign.id, group.id, all)).toEqual({ items: [], nextCursor: null })
      }),
    ),

    contractCase(
      "finds and removes a note by its project and its group only",
      Effect.gen(function* () {
        const notes = yield* NoteStore
        const group = yield* newGroup
        const other = yield* Given.group(group.projectId)
        const foreign = yield* Given.project()
        const { id } = yield* insert(group)
        for (const [projectId, groupId, noteId] of [
          [foreign.id, group.id, id],
          [group.projectId, other.id, id],
          [group.projectId, group.id, NoteId.make(id + 1_000_000)],
        ] as const) {
          expect(yield* notes.find(projectId, groupId, noteId)).toEqual(Option.none())
          expect(yield* notes.remove(projectId, groupId, noteId)).toBe(false)
        }
        expect([yield* notesCount(group), yield* notesCount(other)]).toEqual([1, 0])
      }),
    ),

    contractCase(
      "removes a note and decreases the count of its group",
      Effect.gen(function* () {
        const notes = yield* NoteStore
        const group = yield* newGroup
        const a = yield* insert(group)
        const b = yield* insert(group)
        expect(yield* remove(group, a.id)).toBe(true)
        expect(yield* remove(group, a.id)).toBe(false)
        expect((yield* list(group)).items).toEqual([b])
        expect(yield* notes.find(group.projectId, group.id, a.id)).toEqual(Option.none())
        expect(yield* notesCount(group)).toBe(1)
      }),
    ),

    contractCase(
      "decreases the count once when two nodes remove a note concurrently",
      Effect.gen(function* () {
        const group = yield* newGroup
        const { id } = yield* insert(group)
        yield* insert(group)
        const removed = yield* Effect.all(
          [remove(group, id), onSecondNode(remove(group, id)), remove(group, id)],
          { concurrency: "unbounded" },
        )
        expect(removed.filter((found) => found)).toHaveLength(1)
        expect(yield* notesCount(group)).toBe(1)
      }),
    ),

    contractCase(
      "keeps a note if the transaction that removes it fails",
      Effect.gen(function* () {
        const { transaction } = yield* Storage
        const group = yield* newGroup
        const note = yield* insert(group)
        yield* Effect.exit(transaction(Effect.andThen(remove(group, note.id), Effect.fail("intended"))))
        expect((yield* list(group)).items).toEqual([note])
        expect(yield* notesCount(group)).toBe(1)
      }),
    ),

    contractCase(
      "moves notes to the target of a merge",
      Effect.gen(function* () {
        const notes = yield* NoteStore
        const target = yield* newGroup
        const source = yield* Given.group(target.projectId)
        const own = yield* insert(target)
        const moved = yield* insert(source)
        yield* Given.merge(target, source)
        expect((yield* list(target)).items.map(idOf)).toEqual([moved.id, own.id])
        expect((yield* list(source)).items).toEqual([])
        expect(yield* notes.find(target.projectId, target.id, moved.id)).toEqual(
          Option.some(
            Object.assign(Object.create(Object.getPrototypeOf(moved)), moved, { groupId: target.id }),
          ),
        )
        expect(yield* remove(source, moved.id)).toBe(false)
        expect(yield* remove(target, moved.id)).toBe(true)
        expect(yield* notesCount(target)).toBe(1)
      }),
    ),
  ],
}
