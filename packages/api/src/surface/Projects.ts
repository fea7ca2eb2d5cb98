import type { Body, Query } from "../internal/Contract.js"

const pathOf = (projectId: number) => ({ project_id: projectId })

/** Projects: admins make and change them, members read their own. */
export const projects = {
  /** The projects of the caller, newest first; or the one of an exact `name`. */
  list: (query?: Query<"projects", "list">) => ({ urlParams: query ?? {} }),
  create: (project: Body<"projects", "create">) => ({ payload: project }),
  get: (projectId: number) => ({ path: pathOf(projectId) }),
  /** The names of the rules that let the caller do something in a project. */
  access: (projectId: number) => ({ path: pathOf(projectId) }),
  update: (projectId: number, changes: Body<"projects", "update">) => ({
    path: pathOf(projectId),
    payload: changes,
  }),
  /** Replaces the key that applications send events with; the former one stops working. */
  rotateToken: (projectId: number) => ({ path: pathOf(projectId) }),
  /** Deletes a project with all its data. */
  remove: (projectId: number) => ({ path: pathOf(projectId) }),
  /** Mutes all groups of a project, and those to come: for ever, or until told. */
  mute: (projectId: number, until?: Body<"projects", "mute">) => ({
    path: pathOf(projectId),
    payload: until ?? {},
  }),
  /** Stops muting new groups; those there are stay muted. */
  unmute: (projectId: number) => ({ path: pathOf(projectId) }),
  /** Sends an example event to a project, as one of its applications would. */
  sendTestEvent: (projectId: number) => ({ path: pathOf(projectId) }),
  getNotificationSettings: (projectId: number) => ({ path: pathOf(projectId) }),
  updateNotificationSettings: (
    projectId: number,
    settings: Body<"projects", "updateNotificationSettings">,
  ) => ({ path: pathOf(projectId), payload: settings }),
}

/** The possible assignees of groups, for members of the project. */
export const assignees = {
  /** Ids and names of users, newest first. */
  list: (projectId: number, query?: Query<"assignees", "list">) => ({
    path: pathOf(projectId),
    urlParams: query ?? {},
  }),
}

/** The names of the people who share a project with the caller. */
export const people = {
  /** Ids and names of users, newest first, deactivated ones among them. */
  all: () => ({}),
}

/** Who has access to a project; for admins only. */
export const members = {
  /** The users with access to a project, newest first. */
  list: (projectId: number, query?: Query<"members", "list">) => ({
    path: pathOf(projectId),
    urlParams: query ?? {},
  }),
  /** Makes a user a member; where it is one nothing changes. */
  add: (projectId: number, userId: number) => ({ path: pathOf(projectId), payload: { user_id: userId } }),
  /** Ends a membership; where there is none nothing changes. */
  remove: (projectId: number, userId: number) => ({ path: { ...pathOf(projectId), user_id: userId } }),
}

/** From where source maps may be fetched; for admins only. */
export const sourcemapOrigins = {
  list: (projectId: number, query?: Query<"sourcemapOrigins", "list">) => ({
    path: pathOf(projectId),
    urlParams: query ?? {},
  }),
  /** Allows an exact public HTTPS origin; at most ten a project. */
  create: (projectId: number, origin: Body<"sourcemapOrigins", "create">) => ({
    path: pathOf(projectId),
    payload: origin,
  }),
  /** Removes an origin, and the maps that were fetched from it. */
  remove: (projectId: number, originId: number) => ({ path: { ...pathOf(projectId), origin_id: originId } }),
}
