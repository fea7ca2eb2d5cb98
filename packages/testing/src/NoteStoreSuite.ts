import { type Group, GroupStore, NoteStore } from "@errata/core"
import { Effect } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"

const notesCount = (group: Group) =>
  Effect.gen(function* () {
    const groups = yield* GroupStore
    return (yield* yield* groups.find(group.projectId, group.id)).notesCount
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
      "counts notes that two nodes add at once",
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
  ],
}
