import type { Query } from "../internal/Contract.js"

/** The versions of applications, as events and build tools tell of them. */
export const releases = {
  /** The releases of a project, newest first; or the one of an exact `version`. */
  list: (projectId: number, query?: Query<"releases", "list">) => ({
    path: { project_id: projectId },
    urlParams: query ?? {},
  }),
  get: (projectId: number, releaseId: number) => ({
    path: { project_id: projectId, release_id: releaseId },
  }),
}
