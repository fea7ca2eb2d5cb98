import { type AccessPolicy, ProjectId } from "@errata/core"

/** The parameters of a path that names a project. */
export interface ProjectPath {
  readonly project_id: number
}

/** Checks a rule in the project that a path names. */
export const inProject =
  <Rule extends AccessPolicy.ProjectRule>(access: AccessPolicy.AccessPolicy["Service"], rule: Rule) =>
  (path: ProjectPath) =>
    access.project(rule, ProjectId.make(path.project_id))
