import { type GroupId, type Note, NoteId } from "@errata/core"
import type { NewNote, NoteStore } from "@errata/core/ports"
import { DateTime, Option } from "effect"
import { isAmong } from "./internal/LiveProjects.js"
import { pageOf } from "./internal/Pages.js"
import type { State } from "./internal/State.js"
import type { Reader, Transaction } from "./internal/Transaction.js"
import { idsInTree, isPartOf, rootOf } from "./internal/Tree.js"

export const make = (state: State): NoteStore["Service"] => {
  const count = (transaction: Transaction, groupId: GroupId, change: 1 | -1) => {
    const group = state.groups.get(transaction, rootOf(state, transaction, groupId))
    if (group === undefined) return
    const notesCount = Math.max(0, group.notesCount + change)
    state.groups.set(transaction, group.id, { ...group, notesCount })
  }

  const add = (transaction: Transaction, note: NewNote): number => {
    const id = state.nextId("note")
    state.notes.set(transaction, id, note)
    state.noteIds.of(note.groupId).add(transaction, id)
    count(transaction, note.groupId, 1)
    return id
  }

  /** Returns a note with its author's current name, on the root of its group. */
  const read = (reader: Reader, id: number, row: NewNote): Note => {
    const { userId, ...fields } = row
    const groupId = rootOf(state, reader, row.groupId)
    const user = userId === null ? undefined : state.users.get(reader, userId)
    const author =
      user === undefined ? null : { id: user.id, name: user.name, emailAddress: user.emailAddress }
    return { ...fields, groupId, id: NoteId.make(id), user: author }
  }

  const rowOf = (reader: Reader, projectId: number, groupId: GroupId, id: number): NewNote | undefined => {
    const row = state.notes.get(reader, id)
    return row?.projectId === projectId && isPartOf(state, reader, row.groupId, groupId) ? row : undefined
  }

  return {
    append: (notes) =>
      state.write((transaction) => {
        for (const note of notes) add(transaction, note)
      }),

    insert: (note) => state.write((transaction) => read(transaction, add(transaction, note), note)),

    list: (projectId, groupId, page) =>
      state.read((reader) =>
        pageOf(idsInTree(state, reader, state.noteIds, groupId, page.cursor), page, (id) => {
          const row = rowOf(reader, projectId, groupId, id)
          return row && read(reader, id, row)
        }),
      ),

    recent: (projectId, since, limit) =>
      state.read((reader) =>
        [...state.notes.entries(reader)]
          .filter(([, row]) => row.projectId === projectId && !DateTime.isLessThan(row.createdAt, since))
          .sort(
            ([id, { createdAt }], [otherId, other]) =>
              other.createdAt.epochMilliseconds - createdAt.epochMilliseconds || otherId - id,
          )
          .slice(0, limit)
          .map(([, { automated, content, createdAt, groupId }]) => ({
            groupId: rootOf(state, reader, groupId),
            content,
            automated,
            createdAt,
          })),
      ),

    find: (projectId, groupId, id) =>
      state.read((reader) =>
        Option.map(Option.fromNullishOr(rowOf(reader, projectId, groupId, id)), (row) =>
          read(reader, id, row),
        ),
      ),

    place: (id, projectIds) =>
      state.read((reader) => {
        const row = state.notes.get(reader, id)
        return row === undefined || !isAmong(state, reader, row.projectId, projectIds)
          ? Option.none()
          : Option.some({ projectId: row.projectId, groupId: rootOf(state, reader, row.groupId) })
      }),

    remove: (projectId, groupId, id) =>
      state.write((transaction) => {
        const row = rowOf(transaction, projectId, groupId, id)
        if (row === undefined) return false
        state.notes.delete(transaction, id)
        state.noteIds.of(row.groupId).remove(transaction, id)
        count(transaction, row.groupId, -1)
        return true
      }),
  }
}
