import type { Body, EndpointName, GroupName, Request } from "./Names.js"

type Ids = Body<"groups", "bulkResolve">["group_ids"]

const pathOf = (projectId: number, groupId: number) => ({ project_id: projectId, group_id: groupId })

// The path of a bulk change names any group of the project. Without groups, the server rejects the body.
const bulk = <How extends object>(
  projectId: number,
  groupIds: Ids,
  viaGroupId: number | undefined,
  how?: How,
) => ({
  path: pathOf(projectId, viaGroupId ?? groupIds[0] ?? 1),
  payload: { group_ids: groupIds, ...how },
})

/**
 * Functions with fewer arguments than the contract, because their body is one value or their path repeats it. Optional
 * parameters have no defaults in their declarations, since call options follow all parameters.
 */
export const shorthands = {
  groups: {
    /**
     * Resolves those of up to 1,000 groups that exist and are not resolved. `viaGroupId` must be an existing group of
     * the project. Default: the first of the groups. `how` may name the release that has the fix.
     */
    bulkResolve: (
      projectId: number,
      groupIds: Ids,
      viaGroupId?: number,
      how?: Omit<Body<"groups", "bulkResolve">, "group_ids">,
    ) => bulk(projectId, groupIds, viaGroupId, how),
    /** Reopens those of the groups that exist and are resolved. `viaGroupId` as for `bulkResolve`. */
    bulkUnresolve: (projectId: number, groupIds: Ids, viaGroupId?: number) =>
      bulk(projectId, groupIds, viaGroupId),
    /**
     * Mutes those of the groups that exist and are not muted, without limit or until the next release. `viaGroupId` as for
     * `bulkResolve`.
     */
    bulkMute: (
      projectId: number,
      groupIds: Ids,
      viaGroupId?: number,
      how?: Omit<Body<"groups", "bulkMute">, "group_ids">,
    ) => bulk(projectId, groupIds, viaGroupId, how),
    /** Unmutes those of the groups that exist and are muted. `viaGroupId` as for `bulkResolve`. */
    bulkUnmute: (projectId: number, groupIds: Ids, viaGroupId?: number) =>
      bulk(projectId, groupIds, viaGroupId),
    /** Merges groups into another one. */
    bulkMerge: (projectId: number, targetId: number, sourceIds: Ids) => bulk(projectId, sourceIds, targetId),
    /** Assigns a group to a user with access to its project. */
    assign: (projectId: number, groupId: number, userId: number) => ({
      path: pathOf(projectId, groupId),
      payload: { user_id: userId },
    }),
    /** Links a group to its issue in another tool. */
    linkIssue: (projectId: number, groupId: number, url: string) => ({
      path: pathOf(projectId, groupId),
      payload: { url },
    }),
  },
  members: {
    /** Adds a user to a project. Adding a member again changes nothing. */
    add: (projectId: number, userId: number) => ({
      path: { project_id: projectId },
      payload: { user_id: userId },
    }),
  },
} satisfies Shorthands

/** A group as in every response. */
export interface GroupRef {
  readonly id: number
  readonly project_id: number
}

/** Aliases of endpoints, for arguments that callers have. */
export const aliases = {
  groups: {
    merge: {
      endpoint: "bulkMerge",
      /** Merges groups into the first one. All must be of one project. */
      requestOf: (target: GroupRef, sources: GroupRef | ReadonlyArray<GroupRef>) => {
        const merged = "id" in sources ? [sources] : sources
        if (merged.some(({ project_id }) => project_id !== target.project_id)) {
          throw new TypeError("Groups of different projects cannot be merged")
        }
        return bulk(
          target.project_id,
          merged.map(({ id }) => id),
          target.id,
        )
      },
    },
  },
} as const satisfies Aliases

/** Shorthands must return the request type of their endpoint. */
type Shorthands = {
  readonly [G in GroupName]?: { readonly [E in EndpointName<G>]?: (...args: never) => Request<G, E> }
}

type Aliases = {
  readonly [G in GroupName]?: Readonly<
    Record<
      string,
      {
        readonly [E in EndpointName<G>]: {
          readonly endpoint: E
          readonly requestOf: (...args: never) => Request<G, E>
        }
      }[EndpointName<G>]
    >
  >
}
