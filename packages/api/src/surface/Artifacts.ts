import type { Query } from "../internal/Contract.js"

/** What build tools have uploaded. */
export const artifacts = {
  /** The uploads of a project, newest first, and those that failed among them. */
  list: (projectId: number, query?: Query<"artifacts", "list">) => ({
    path: { project_id: projectId },
    urlParams: query ?? {},
  }),
  /** An upload with its files. */
  get: (projectId: number, bundleId: number) => ({
    path: { project_id: projectId, bundle_id: bundleId },
  }),
  /** For admins only. */
  remove: (projectId: number, bundleId: number) => ({
    path: { project_id: projectId, bundle_id: bundleId },
  }),
}
