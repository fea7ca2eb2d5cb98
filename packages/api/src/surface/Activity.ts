import type { Query } from "../internal/Contract.js"

/** How many reports came in when. */
export const activity = {
  /** By hour or day: of the groups of `group_ids`, or of the project. */
  get: (projectId: number, query?: Query<"activity", "get">) => ({
    path: { project_id: projectId },
    urlParams: query ?? {},
  }),
}
