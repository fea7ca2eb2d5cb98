/** Finding the project of an object by the object's id alone. */
import { GroupId, NoteId, ReportId } from "@errata/core"
import { GroupStore, NoteStore, ProjectStore, ReportStore } from "@errata/core/ports"
import { DateTime, Effect, Option } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"

const unknown = 2_000_000_000

/** Two projects, each with a group that has a report and a note. */
const two = Effect.gen(function* () {
  const reports = yield* ReportStore
  const notes = yield* NoteStore
  const one = Effect.gen(function* () {
    const { id: projectId } = yield* Given.project()
    const group = yield* Given.group(projectId)
    const event = Factory.errorEvent({ eventId: Factory.eventId() })
    const [report] = yield* reports.insert([Factory.newReport(group, event)], Factory.noon)
    const note = yield* notes.insert(Factory.newNote(group))
    return { projectId, group, reportId: report!, noteId: note.id }
  })
  return [yield* one, yield* one] as const
})

export const placesSuite: ContractSuite = {
  name: "Places",
  cases: [
    contractCase(
      "finds groups of several projects once each, and omits missing ones",
      Effect.gen(function* () {
        const groups = yield* GroupStore
        const [a, b] = yield* two
        const ids = [b.group.id, a.group.id, GroupId.make(unknown), a.group.id]
        const places = [
          { projectId: a.projectId, groupId: a.group.id },
          { projectId: b.projectId, groupId: b.group.id },
        ]
        expect(yield* groups.locate(ids, null)).toEqual(places)
        expect(yield* groups.locate(ids, [a.projectId, b.projectId, unknown])).toEqual(places)
        expect(yield* groups.locate(ids, [b.projectId])).toEqual([places[1]])
        expect(yield* groups.locate(ids, [])).toEqual([])
        expect(yield* groups.locate([], null)).toEqual([])
      }),
    ),

    contractCase(
      "finds reports and notes in the given projects",
      Effect.gen(function* () {
        const reports = yield* ReportStore
        const notes = yield* NoteStore
        const [a, b] = yield* two
        const place = Option.some({ projectId: a.projectId, groupId: a.group.id })
        for (const among of [null, [a.projectId], [a.projectId, b.projectId]]) {
          expect(yield* reports.place(a.reportId, among)).toEqual(place)
          expect(yield* notes.place(a.noteId, among)).toEqual(place)
        }
        for (const among of [[], [b.projectId]]) {
          expect(yield* reports.place(a.reportId, among)).toEqual(Option.none())
          expect(yield* notes.place(a.noteId, among)).toEqual(Option.none())
        }
        expect(yield* reports.place(ReportId.make(unknown), null)).toEqual(Option.none())
        expect(yield* notes.place(NoteId.make(unknown), null)).toEqual(Option.none())
      }),
    ),

    contractCase(
      "finds reports and notes of a merged group below its target, and the merged group itself",
      Effect.gen(function* () {
        const groups = yield* GroupStore
        const reports = yield* ReportStore
        const notes = yield* NoteStore
        const [a] = yield* two
        const root = yield* Given.group(a.projectId)
        yield* Given.merge(root, a.group)
        const place = { projectId: a.projectId, groupId: root.id }
        expect(yield* reports.place(a.reportId, null)).toEqual(Option.some(place))
        expect(yield* notes.place(a.noteId, null)).toEqual(Option.some(place))
        expect(yield* groups.locate([a.group.id], null)).toEqual([{ ...place, groupId: a.group.id }])
      }),
    ),

    contractCase(
      "finds nothing of deleted projects",
      Effect.gen(function* () {
        const groups = yield* GroupStore
        const reports = yield* ReportStore
        const notes = yield* NoteStore
        const projects = yield* ProjectStore
        const [a, b] = yield* two
        yield* projects.remove(a.projectId, yield* DateTime.now)
        for (const among of [null, [a.projectId]]) {
          expect(yield* groups.locate([a.group.id], among)).toEqual([])
          expect(yield* reports.place(a.reportId, among)).toEqual(Option.none())
          expect(yield* notes.place(a.noteId, among)).toEqual(Option.none())
        }
        expect(yield* groups.locate([a.group.id, b.group.id], null)).toHaveLength(1)
      }),
    ),
  ],
}
