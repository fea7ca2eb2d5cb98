import type { Body, Query } from "../internal/Contract.js"

type Ids = Body<"groups", "bulkResolve">["group_ids"]

const pathOf = (projectId: number, groupId: number) => ({ project_id: projectId, group_id: groupId })

// The path of a bulk change names a group of the project, whichever; where there is none the body is refused.
const bulk = (projectId: number, groupIds: Ids, viaGroupId: number | undefined) => ({
  path: pathOf(projectId, viaGroupId ?? groupIds[0] ?? 1),
  payload: { group_ids: groupIds },
})

/** The groups of a project and what its members decide about them. */
export const groups = {
  /** Groups that match, newest first unless `sort` says otherwise. */
  list: (projectId: number, query?: Query<"groups", "list">) => ({
    path: { project_id: projectId },
    urlParams: query ?? {},
  }),
  /** Groups that match in all projects that the caller can see, or in some of them. */
  listAll: (query?: Query<"groups", "listAll">) => ({ urlParams: query ?? {} }),
  /** How many groups match, counted up to 1,000. */
  count: (projectId: number, query?: Query<"groups", "count">) => ({
    path: { project_id: projectId },
    urlParams: query ?? {},
  }),
  /** A group with what made it a group. */
  get: (projectId: number, groupId: number) => ({ path: pathOf(projectId, groupId) }),
  /** Deletes a group with its reports; for admins. The next report of its kind makes a new group. */
  remove: (projectId: number, groupId: number) => ({ path: pathOf(projectId, groupId) }),
  /** Resolves a group; where it is resolved nothing changes. */
  resolve: (projectId: number, groupId: number) => ({ path: pathOf(projectId, groupId) }),
  /** Reopens a group; where it is open nothing changes. */
  unresolve: (projectId: number, groupId: number) => ({ path: pathOf(projectId, groupId) }),
  /** Mutes a group for ever, or as told for a number of reports or until a moment. */
  mute: (projectId: number, groupId: number, until?: Body<"groups", "mute">) => ({
    path: pathOf(projectId, groupId),
    payload: until ?? {},
  }),
  unmute: (projectId: number, groupId: number) => ({ path: pathOf(projectId, groupId) }),
  /**
   * Resolves those of up to 1,000 groups that exist and are not resolved. `viaGroupId` must be a group of the project
   * that exists; the first of them unless told.
   */
  bulkResolve: (projectId: number, groupIds: Ids, viaGroupId?: number) =>
    bulk(projectId, groupIds, viaGroupId),
  /** Reopens those of the groups that exist and are resolved. `viaGroupId` as for `bulkResolve`. */
  bulkUnresolve: (projectId: number, groupIds: Ids, viaGroupId?: number) =>
    bulk(projectId, groupIds, viaGroupId),
  /** Mutes for ever those of the groups that exist and are not muted. `viaGroupId` as for `bulkResolve`. */
  bulkMute: (projectId: number, groupIds: Ids, viaGroupId?: number) => bulk(projectId, groupIds, viaGroupId),
  /** Unmutes those of the groups that exist and are muted. `viaGroupId` as for `bulkResolve`. */
  bulkUnmute: (projectId: number, groupIds: Ids, viaGroupId?: number) =>
    bulk(projectId, groupIds, viaGroupId),
  /** Merges groups into another. */
  bulkMerge: (projectId: number, targetId: number, sourceIds: Ids) => bulk(projectId, sourceIds, targetId),
  /** Assigns a group to a user with access to its project. */
  assign: (projectId: number, groupId: number, userId: number) => ({
    path: pathOf(projectId, groupId),
    payload: { user_id: userId },
  }),
  /** Takes a group from its assignee. */
  unassign: (projectId: number, groupId: number) => ({ path: pathOf(projectId, groupId) }),
  /** Links a group to its issue in another tool. */
  linkIssue: (projectId: number, groupId: number, url: string) => ({
    path: pathOf(projectId, groupId),
    payload: { url },
  }),
  /** Removes the link of a group to an issue. */
  unlinkIssue: (projectId: number, groupId: number) => ({ path: pathOf(projectId, groupId) }),
}
