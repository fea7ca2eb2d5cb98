import type { Query } from "../internal/Contract.js"

/** The tags of groups, and the keys and values of a project. */
export const tags = {
  /** The tags of a group, each with its most frequent values. */
  ofGroup: (projectId: number, groupId: number) => ({
    path: { project_id: projectId, group_id: groupId },
  }),
  /** The values of a tag of a group, the most frequent first. */
  valuesOfGroup: (
    projectId: number,
    groupId: number,
    key: string,
    query?: Query<"tags", "valuesOfGroup">,
  ) => ({
    path: { project_id: projectId, group_id: groupId, key },
    urlParams: query ?? {},
  }),
  /** The tag keys of a project. */
  keys: (projectId: number) => ({ path: { project_id: projectId } }),
  /** Values of a tag in the project's most recent groups that begin with a prefix. */
  values: (projectId: number, key: string, query?: Query<"tags", "values">) => ({
    path: { project_id: projectId, key },
    urlParams: query ?? {},
  }),
}
