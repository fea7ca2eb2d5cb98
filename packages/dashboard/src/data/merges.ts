/** Groups that were merged into another. */
import type { Merge, MergesPage } from "@errata/api/promise"
import { api } from "./client.js"
import { notify, notifyFailure } from "./notices.js"
import { type Aborts, cache } from "./query.js"

export const mergesQuery = (projectId: number, groupId: number, cursor: number | null = null) => ({
  queryKey: ["merges", projectId, groupId, cursor],
  queryFn: ({ signal }: Aborts): Promise<MergesPage> =>
    api.merges.list(projectId, groupId).page({ limit: 50, cursor }, { signal }),
})

/** Undoes a merge. Returns true if the server did. */
export const unmerge = async (projectId: number, groupId: number, merge: Merge): Promise<boolean> => {
  try {
    await api.merges.undo(projectId, groupId, merge.id)
    notify(`Group ${merge.source_id} is a group of its own again.`, async () => {
      await api.groups.bulkMerge(projectId, merge.target_id, [merge.source_id])
      refresh()
    })
    return true
  } catch (error) {
    notifyFailure("The merge was not undone.", error)
    return false
  } finally {
    refresh()
  }
}

// internal

const refresh = (): void => {
  for (const key of ["merges", "group", "groups", "notes", "report", "reports", "group-tags"]) {
    void cache.invalidateQueries({ queryKey: [key] })
  }
}
