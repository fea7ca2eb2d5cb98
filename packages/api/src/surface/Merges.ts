import type { Query } from "../internal/Contract.js"

const pathOf = (projectId: number, groupId: number) => ({ project_id: projectId, group_id: groupId })

/** What groups were merged into others. */
export const merges = {
  /** The merges that a group was made of, newest first: also of what was merged into its sources before. */
  list: (projectId: number, groupId: number, query?: Query<"merges", "list">) => ({
    path: pathOf(projectId, groupId),
    urlParams: query ?? {},
  }),
  /** Makes the source of a merge a group of its own again, with all that was recorded for it, also since. */
  undo: (projectId: number, groupId: number, mergeId: number) => ({
    path: { ...pathOf(projectId, groupId), merge_id: mergeId },
  }),
}
