/**
 * Who may do what. Rules are named values, so a team that embeds Errata can replace any of them; services ask for a
 * rule by name. A service that works in a project takes an `AuthorizedProject` of the rule it needs, which only this
 * module makes: a forgotten check does not compile.
 */
import { Context, Effect, Layer, Schema } from "effect"
import type { Note } from "../note/Note.js"
import { type Project, ProjectId } from "../project/Project.js"
import { ProjectStore } from "../project/ProjectStore.js"
import type { StorageError } from "../storage/StorageError.js"
import { type Actor, CurrentActor, userIdOf } from "./Actor.js"

/** The actor may not do this. */
export class AccessDenied extends Schema.TaggedError<AccessDenied>()("AccessDenied", {
  rule: Schema.String,
}) {}

/** No such project. */
export class ProjectNotFound extends Schema.TaggedError<ProjectNotFound>()("ProjectNotFound", {
  projectId: ProjectId,
}) {}

/** Rules about the instance as a whole. */
export type InstanceRule =
  | "projects.list"
  | "projects.create"
  | "users.administer"
  | "apps.list"
  | "apps.administer"
  | "policies.administer"
  | "ingest.inspect"

/** Rules about one project; reading groups includes reading their reports and notes. */
export type ProjectRule =
  | "project.read"
  | "project.administer"
  | "groups.read"
  | "groups.change"
  | "webhooks.read"
  | "webhooks.administer"

/** Rules about one note, for who may change its group. */
export type NoteRule = "notes.remove"

export interface AccessRules {
  readonly instance: Readonly<Record<InstanceRule, (actor: Actor) => boolean>>
  readonly project: Readonly<Record<ProjectRule, (actor: Actor, project: Project) => boolean>>
  readonly note: Readonly<Record<NoteRule, (actor: Actor, note: Note) => boolean>>
  /**
   * The ids of the projects that lists show the actor, null for all. It goes with `project.read`: who replaces the one
   * looks at the other. Of these ids, those that `project.read` refuses are left out; of all, none is.
   */
  readonly visibleProjects: (actor: Actor) => ReadonlyArray<number> | null
}

/** Anyone with an account. */
export const anyone = (_actor: Actor): boolean => true

/** Admins, and the system. */
export const admins = (actor: Actor): boolean => actor._tag === "System" || actor.user.role === "admin"

/** Members of the project, and admins. */
export const members = (actor: Actor, project: Project): boolean =>
  actor._tag === "System" || actor.user.role === "admin" || actor.user.projectIds.includes(project.id)

/** Who wrote it, and admins. */
export const authors = (actor: Actor, note: Note): boolean =>
  admins(actor) || (note.user !== null && note.user.id === userIdOf(actor))

/** All projects for admins, and for members theirs. */
export const memberships = (actor: Actor): ReadonlyArray<number> | null =>
  actor._tag === "System" || actor.user.role === "admin" ? null : actor.user.projectIds

export const defaultRules: AccessRules = {
  instance: {
    "projects.list": anyone,
    "projects.create": admins,
    "users.administer": admins,
    "apps.list": anyone,
    "apps.administer": admins,
    "policies.administer": admins,
    "ingest.inspect": admins,
  },
  project: {
    "project.read": members,
    "project.administer": admins,
    "groups.read": members,
    "groups.change": members,
    "webhooks.read": members,
    "webhooks.administer": admins,
  },
  note: {
    "notes.remove": authors,
  },
  visibleProjects: memberships,
}

declare const Authorized: unique symbol

/** A project in which the actor may do what the rule allows. */
export interface AuthorizedProject<Rule extends ProjectRule> {
  readonly [Authorized]: (rule: Rule) => void
  readonly project: Project
  readonly actor: Actor
}

export class AccessPolicy extends Context.Tag("@errata/core/access/AccessPolicy")<
  AccessPolicy,
  {
    /** Lets the current actor pass, or fails. */
    readonly check: (rule: InstanceRule) => Effect.Effect<Actor, AccessDenied, CurrentActor>
    /** Loads a project for the current actor. A project that exists but is not the actor's is denied, not hidden. */
    readonly project: <Rule extends ProjectRule>(
      rule: Rule,
      id: ProjectId,
    ) => Effect.Effect<AuthorizedProject<Rule>, AccessDenied | ProjectNotFound | StorageError, CurrentActor>
    /** Lets the actor of a project pass to one of its notes, or fails. */
    readonly note: (
      rule: NoteRule,
      project: AuthorizedProject<"groups.change">,
      note: Note,
    ) => Effect.Effect<void, AccessDenied>
    /** Whether somebody may do something in a project: for questions about others than the current actor. */
    readonly allows: (rule: ProjectRule, actor: Actor, project: Project) => boolean
    /** The ids of the projects that the actor can see, without those that `project.read` refuses; null for all. */
    readonly visibleProjects: (actor: Actor) => Effect.Effect<ReadonlyArray<number> | null, StorageError>
  }
>() {}

export const make = (rules: AccessRules) =>
  Effect.gen(function* () {
    const projects = yield* ProjectStore

    const check = Effect.fn("AccessPolicy.check")(function* (rule: InstanceRule) {
      const actor = yield* CurrentActor
      return rules.instance[rule](actor) ? actor : yield* new AccessDenied({ rule })
    })

    const project = <Rule extends ProjectRule>(rule: Rule, id: ProjectId) =>
      Effect.gen(function* () {
        const actor = yield* CurrentActor
        const found = yield* projects.find(id)
        if (found._tag === "None") return yield* new ProjectNotFound({ projectId: id })
        if (!rules.project[rule](actor, found.value)) return yield* new AccessDenied({ rule })
        return { project: found.value, actor } as AuthorizedProject<Rule>
      }).pipe(Effect.withSpan("AccessPolicy.project"))

    const visibleProjects = Effect.fn("AccessPolicy.visibleProjects")(function* (actor: Actor) {
      const only = rules.visibleProjects(actor)
      if (only === null || only.length === 0) return only
      const { items } = yield* projects.list({ only, name: null }, { limit: only.length, cursor: null })
      return items.filter((found) => rules.project["project.read"](actor, found)).map(({ id }) => id)
    })

    return AccessPolicy.of({
      check,
      project,
      note: (rule, { actor }, note) =>
        rules.note[rule](actor, note) ? Effect.void : new AccessDenied({ rule }),
      allows: (rule, actor, project) => rules.project[rule](actor, project),
      visibleProjects,
    })
  })

export const layerWith = (rules: AccessRules): Layer.Layer<AccessPolicy, never, ProjectStore> =>
  Layer.effect(AccessPolicy, make(rules))

/** The rules of the specification. */
export const layer = layerWith(defaultRules)
