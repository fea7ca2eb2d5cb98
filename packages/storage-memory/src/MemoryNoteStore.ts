import { Group, type NoteStore } from "@errata/core"
import type { State } from "./internal/State.js"

export const make = (state: State): NoteStore["Type"] => ({
  append: (notes) =>
    state.write((transaction) => {
      for (const note of notes) {
        const id = state.nextId("note")
        state.notes.set(transaction, id, note)
        state.noteIds.of(note.groupId).add(transaction, id)
        const group = state.groups.get(transaction, note.groupId)
        if (group === undefined) continue
        const notesCount = group.notesCount + 1
        state.groups.set(
          transaction,
          group.id,
          new Group({ ...group, notesCount }, { disableValidation: true }),
        )
      }
    }),
})
