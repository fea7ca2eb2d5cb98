import type { Body, Query } from "../internal/Contract.js"

/** Apps: projects that belong together. */
export const apps = {
  /** The apps with projects of the caller, newest first. */
  list: (query?: Query<"apps", "list">) => ({ urlParams: query ?? {} }),
  get: (appId: number) => ({ path: { app_id: appId } }),
  create: (app: Body<"apps", "create">) => ({ payload: app }),
  /** Renames an app or replaces its projects. */
  update: (appId: number, changes: Body<"apps", "update">) => ({ path: { app_id: appId }, payload: changes }),
  /** Deletes an app; its projects stay. */
  remove: (appId: number) => ({ path: { app_id: appId } }),
}
