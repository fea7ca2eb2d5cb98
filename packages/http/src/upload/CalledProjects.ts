/** The projects that a call is about. */
import {
  AccessPolicy,
  type AuthorizedProject,
  ProjectReferences,
  type ProjectRule,
  Releases,
} from "@errata/core"
import { Effect } from "effect"
import { BadBody, NoProject, type UploadCall } from "./UploadCall.js"

/** Fails if the path names a project in which the caller may not do this, or if the caller has no project at all. */
export const admit = (rule: ProjectRule, { params }: UploadCall) =>
  Effect.gen(function* () {
    const references = yield* ProjectReferences
    const { project } = params
    if (project !== undefined) yield* references.authorize(rule, project)
    else if ((yield* references.visible).length === 0) return yield* new NoProject()
  })

/** The projects in the path or the body. The caller needs access to all of them. */
export const named = <Rule extends ProjectRule>(
  rule: Rule,
  call: UploadCall,
  inBody: ReadonlyArray<string | number> | null | undefined = [],
) =>
  Effect.gen(function* () {
    const references = yield* ProjectReferences
    const { project } = call.params
    const names = new Set([...(project === undefined ? [] : [project]), ...(inBody ?? []).map(String)])
    if (names.size > maxProjects) {
      return yield* new BadBody({ reason: `A request may name at most ${maxProjects} projects` })
    }
    const found = new Map<number, AuthorizedProject<AccessPolicy.Known<Rule>>>()
    for (const name of names) {
      const authorized = yield* references.authorize<Rule>(rule, name)
      found.set(authorized.project.id, authorized)
    }
    return [...found.values()]
  })

/** The projects that the call names, else those of the caller with the version. May be empty. */
export const withVersion = <Rule extends ProjectRule>(
  rule: Rule,
  call: UploadCall,
  version: string,
  inBody: ReadonlyArray<string | number> | null | undefined = [],
) =>
  Effect.gen(function* () {
    const projects = yield* named(rule, call, inBody)
    if (projects.length > 0) return projects
    return yield* (yield* Releases).projectsWith<Rule>(rule, version)
  })

/** All that the caller can see, the newest hundred of them. */
export const visible = <Rule extends ProjectRule>(rule: Rule) =>
  Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    const ids = yield* (yield* ProjectReferences).visible
    const found: Array<AuthorizedProject<AccessPolicy.Known<Rule>>> = []
    for (const id of ids.slice(-maxProjects)) {
      found.push(yield* access.project<Rule>(rule, id))
    }
    return found
  })

// internal

const maxProjects = 100
