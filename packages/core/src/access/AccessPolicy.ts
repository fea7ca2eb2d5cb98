/**
 * Asks the access rules. A service that works in a project takes an `AuthorizedProject` of the rule it needs, and one
 * that works on the instance an `AuthorizedInstance`. Only this module makes them: a forgotten check does not compile.
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { Note } from "../note/Note.js"
import { type Project, ProjectId } from "../project/Project.js"
import { ProjectStore } from "../project/ProjectStore.js"
import type { StorageError } from "../storage/StorageError.js"
import {
  type AccessRules,
  defaultRules,
  type InstanceRule,
  type NoteRule,
  type ProjectRule,
  requiredGrants,
} from "./AccessRules.js"
import { type Actor, type CredentialGrant, CurrentActor } from "./Actor.js"

export * from "./AccessRules.js"

/**
 * The actor may not do this: the rule refuses (`missingGrant` is null), or it would let them and their credential lacks a
 * grant, so that a wider credential of the same user would do.
 */
export class AccessDenied extends Schema.TaggedError<AccessDenied>()("AccessDenied", {
  rule: Schema.String,
  missingGrant: Schema.NullOr(Schema.Literals(["read", "write", "accounts"])),
}) {}

/** No such project, or none that the actor can see. */
export class ProjectNotFound extends Schema.TaggedError<ProjectNotFound>()("ProjectNotFound", {
  projectId: ProjectId,
}) {}

// These are classes so that neither an object of the same shape nor a spread copy passes for one, and `rule` is in both
// directions of a function so that they pass for no other rule, be it a part or a union of theirs. `rule` is protected
// and not private, as the declarations of a package leave out the types of private members.

class AllowedInstance<in out Rule extends InstanceRule> {
  declare protected readonly rule: (rule: Rule) => Rule
  readonly #actor: Actor
  constructor(actor: Actor) {
    this.#actor = actor
  }
  get actor(): Actor {
    return this.#actor
  }
}

class AllowedProject<in out Rule extends ProjectRule> {
  declare protected readonly rule: (rule: Rule) => Rule
  readonly #project: Project
  readonly #actor: Actor
  constructor(project: Project, actor: Actor) {
    this.#project = project
    this.#actor = actor
  }
  get project(): Project {
    return this.#project
  }
  get actor(): Actor {
    return this.#actor
  }
}

/** That the actor may do on the instance what the rule allows. */
export type AuthorizedInstance<Rule extends InstanceRule> = AllowedInstance<Rule>

/** A project in which the actor may do what the rule allows. */
export type AuthorizedProject<Rule extends ProjectRule> = AllowedProject<Rule>

/** The rule itself, and no rule for `any`, which would pass for every one. */
export type Known<Rule> = unknown extends Rule ? never : Rule

/** Checks the rights of callers, and returns the proofs that services require. `layerWith` takes rules of your own. */
export class AccessPolicy extends Context.Service<
  AccessPolicy,
  {
    /** Lets the current actor pass, or fails. */
    readonly instance: <Rule extends InstanceRule>(
      rule: Rule,
    ) => Effect.Effect<AuthorizedInstance<Known<Rule>>, AccessDenied, CurrentActor>
    /**
     * Loads a project for the current actor. Where the actor cannot see it, the answer is that of a project that does not
     * exist. Where the rule lets the actor do it in no project, it is denied before one is looked for.
     */
    readonly project: <Rule extends ProjectRule>(
      rule: Rule,
      id: ProjectId,
    ) => Effect.Effect<
      AuthorizedProject<Known<Rule>>,
      AccessDenied | ProjectNotFound | StorageError,
      CurrentActor
    >
    /** Lets the actor of a project pass to one of its notes, or fails. */
    readonly note: (
      rule: NoteRule,
      project: AuthorizedProject<"groups.change">,
      note: Note,
    ) => Effect.Effect<void, AccessDenied>
    /** The rules about the instance that let the current actor pass, in the order of `AccessRules`. */
    readonly instanceRules: Effect.Effect<ReadonlyArray<InstanceRule>, never, CurrentActor>
    /** The rules that let the actor of a project pass in it, in the order of `AccessRules`. */
    readonly projectRules: (project: AuthorizedProject<"project.read">) => ReadonlyArray<ProjectRule>
    /** Whether somebody may do something in a project: for questions about others than the current actor. */
    readonly allows: (rule: ProjectRule, actor: Actor, project: Project) => boolean
    /** The ids of the projects that the actor can see, without those that `project.read` refuses; null for all. */
    readonly visibleProjects: (actor: Actor) => Effect.Effect<ReadonlyArray<number> | null, StorageError>
  }
>()("@errata/core/access/AccessPolicy") {}

/** Lets the current actor pass, or fails; see the service. */
export const instance = <Rule extends InstanceRule>(rule: Rule) =>
  Effect.flatMap(AccessPolicy, (access) => access.instance(rule))

/** Loads a project for the current actor; see the service. */
export const project = <Rule extends ProjectRule>(rule: Rule, id: ProjectId) =>
  Effect.flatMap(AccessPolicy, (access) => access.project(rule, id))

/** Decides by these rules, on the projects of a store. */
export const make = (rules: AccessRules) =>
  Effect.gen(function* () {
    const projects = yield* ProjectStore

    const instance = Effect.fn("AccessPolicy.instance")(function* <Rule extends InstanceRule>(rule: Rule) {
      const actor = yield* CurrentActor
      yield* pass(rule, actor, rules.instance[rule](actor))
      return new AllowedInstance<Known<Rule>>(actor)
    })

    const project = Effect.fn("AccessPolicy.project")(function* <Rule extends ProjectRule>(
      rule: Rule,
      id: ProjectId,
    ) {
      const actor = yield* CurrentActor
      const isAllowed = rules.project[rule]
      if (!isAllowed(actor, null)) return yield* new AccessDenied({ rule, missingGrant: null })
      const found = Option.getOrNull(yield* projects.find(id))
      const isHidden =
        found === null || !(isAllowed(actor, found) || rules.project["project.read"](actor, found))
      if (isHidden) return yield* new ProjectNotFound({ projectId: id })
      yield* pass(rule, actor, isAllowed(actor, found))
      return new AllowedProject<Known<Rule>>(found, actor)
    })

    const instanceRules = Effect.map(CurrentActor, (actor) =>
      rulesOf(rules.instance).filter(
        (rule) => rules.instance[rule](actor) && missingGrant(rule, actor) === null,
      ),
    )

    const projectRules = ({ actor, project }: AuthorizedProject<"project.read">) =>
      rulesOf(rules.project).filter((rule) => allows(rule, actor, project))

    const allows = (rule: ProjectRule, actor: Actor, project: Project) =>
      rules.project[rule](actor, project) && missingGrant(rule, actor) === null

    const visibleProjects = Effect.fn("AccessPolicy.visibleProjects")(function* (actor: Actor) {
      if (missingGrant("project.read", actor) !== null) return []
      const only = rules.visibleProjects(actor)
      if (only === null || only.length === 0) return only
      const { items } = yield* projects.list({ only, name: null }, { limit: only.length, cursor: null })
      return items.filter((found) => allows("project.read", actor, found)).map(({ id }) => id)
    })

    return AccessPolicy.of({
      instance,
      project,
      note: (rule, { actor }, note) => pass(rule, actor, rules.note[rule](actor, note)),
      instanceRules,
      projectRules,
      allows,
      visibleProjects,
    })
  })

/** `AccessPolicy` with rules of your own. */
export const layerWith = (rules: AccessRules): Layer.Layer<AccessPolicy, never, ProjectStore> =>
  Layer.effect(AccessPolicy, make(rules))

/** The rules of the specification. */
export const layer = layerWith(defaultRules)

// internal

type AnyRule = keyof typeof requiredGrants

const rulesOf = <Rule extends string>(rules: Readonly<Record<Rule, unknown>>): ReadonlyArray<Rule> =>
  Object.keys(rules) as Array<Rule>

const missingGrant = (rule: AnyRule, actor: Actor): CredentialGrant | null => {
  const needed = requiredGrants[rule]
  return actor._tag === "System" || actor.grants.includes(needed) ? null : needed
}

// The rule has the first word: whom it refuses, no wider credential would help.
const pass = (rule: AnyRule, actor: Actor, isAllowed: boolean): Effect.Effect<void, AccessDenied> => {
  if (!isAllowed) return new AccessDenied({ rule, missingGrant: null })
  const missing = missingGrant(rule, actor)
  return missing === null ? Effect.void : new AccessDenied({ rule, missingGrant: missing })
}
