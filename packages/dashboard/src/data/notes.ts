/** Notes on a group, by users and by Errata. */
import type { Note, NotesPage } from "@errata/api/promise"
import { api } from "./client.js"
import { notifyFailure } from "./notices.js"
import { type Aborts, cache } from "./query.js"

/** Newest first. */
export const notesQuery = (projectId: number, groupId: number, cursor: number | null = null) => ({
  queryKey: ["notes", projectId, groupId, cursor],
  queryFn: ({ signal }: Aborts): Promise<NotesPage> =>
    api.notes.list(projectId, groupId).page({ limit: 50, cursor }, { signal }),
})

/** Writes a note. Returns whether the server took it. */
export const writeNote = async (projectId: number, groupId: number, content: string): Promise<boolean> => {
  try {
    await api.notes.create(projectId, groupId, { content })
    return true
  } catch (error) {
    notifyFailure("The note was not saved.", error)
    return false
  } finally {
    refresh()
  }
}

export const deleteNote = async (projectId: number, { group_id, id }: Note): Promise<void> => {
  try {
    await api.notes.remove(projectId, group_id, id)
  } finally {
    refresh()
  }
}

// internal

const refresh = (): void => {
  void cache.invalidateQueries({ queryKey: ["notes"] })
  void cache.invalidateQueries({ queryKey: ["group"] })
}
