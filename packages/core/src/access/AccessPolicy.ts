/**
 * Checks access rules. A service that works in a project requires an `AuthorizedProject` of the rule it needs; one that
 * works on the instance requires an `AuthorizedInstance`. Only this module creates them, so a forgotten check does not
 * compile.
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
 * The actor may not do this. `missingGrant` is null if the rule refuses the actor. Otherwise the rule allows it, but
 * the credential lacks this grant; a wider credential of the same user would do.
 */
export class AccessDenied extends Schema.TaggedError<AccessDenied>()("AccessDenied", {
  rule: Schema.String,
  missingGrant: Schema.NullOr(Schema.Literals(["read", "write", "accounts"])),
}) {}

/** The project does not exist, or the actor cannot see it. */
export class ProjectNotFound extends Schema.TaggedError<ProjectNotFound>()("ProjectNotFound", {
  projectId: ProjectId,
}) {}

// Classes with private fields: objects of the same shape and spread copies do not pass as proof. `rule` is invariant,
// so no other rule, subset or union passes. It is protected because declaration files omit the types of private
// members.

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

/** Proof that the actor may do on the instance what the rule allows. */
export type AuthorizedInstance<Rule extends InstanceRule> = AllowedInstance<Rule>

/** A project, and proof that the actor may do in it what the rule allows. */
export type AuthorizedProject<Rule extends ProjectRule> = AllowedProject<Rule>

/** Rejects a rule of type `any`, which would be assignable to every rule. */
export type Known<Rule> = unknown extends Rule ? never : Rule

/** Checks the rights of callers and returns the proofs that services require. `layerWith` accepts custom rules. */
export class AccessPolicy extends Context.Service<
  AccessPolicy,
  {
    /** Authorizes the current actor on the instance. */
    readonly instance: <Rule extends InstanceRule>(
      rule: Rule,
    ) => Effect.Effect<AuthorizedInstance<Known<Rule>>, AccessDenied, CurrentActor>
    /**
     * Loads a project and authorizes the current actor. Fails with `ProjectNotFound` if the actor cannot see the
     * project. If the rule refuses the actor in every project, it fails with `AccessDenied` before the lookup.
     */
    readonly project: <Rule extends ProjectRule>(
      rule: Rule,
      id: ProjectId,
    ) => Effect.Effect<
      AuthorizedProject<Known<Rule>>,
      AccessDenied | ProjectNotFound | StorageError,
      CurrentActor
    >
    /** Authorizes the actor of a project to act on one of its notes. */
    readonly note: (
      rule: NoteRule,
      project: AuthorizedProject<"groups.change">,
      note: Note,
    ) => Effect.Effect<void, AccessDenied>
    /** The instance rules that allow the current actor, in the order of `AccessRules`. */
    readonly instanceRules: Effect.Effect<ReadonlyArray<InstanceRule>, never, CurrentActor>
    /** The project rules that allow the actor in this project, in the order of `AccessRules`. */
    readonly projectRules: (project: AuthorizedProject<"project.read">) => ReadonlyArray<ProjectRule>
    /** Checks whether any actor, not only the current one, may do something in a project. */
    readonly allows: (rule: ProjectRule, actor: Actor, project: Project) => boolean
    /** Ids of the projects that the actor can see, or null for all. `project.read` applies. */
    readonly visibleProjects: (actor: Actor) => Effect.Effect<ReadonlyArray<number> | null, StorageError>
  }
>()("@errata/core/access/AccessPolicy") {}

/** Authorizes the current actor on the instance; see `AccessPolicy`. */
export const instance = <Rule extends InstanceRule>(rule: Rule) =>
  Effect.flatMap(AccessPolicy, (access) => access.instance(rule))

/** Loads a project and authorizes the current actor; see `AccessPolicy`. */
export const project = <Rule extends ProjectRule>(rule: Rule, id: ProjectId) =>
  Effect.flatMap(AccessPolicy, (access) => access.project(rule, id))

/** Creates an `AccessPolicy` with these rules. */
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

/** `AccessPolicy` with custom rules. */
export const layerWith = (rules: AccessRules): Layer.Layer<AccessPolicy, never, ProjectStore> =>
  Layer.effect(AccessPolicy, make(rules))

/** `AccessPolicy` with `defaultRules`. */
export const layer = layerWith(defaultRules)

// internal

type AnyRule = keyof typeof requiredGrants

const rulesOf = <Rule extends string>(rules: Readonly<Record<Rule, unknown>>): ReadonlyArray<Rule> =>
  Object.keys(rules) as Array<Rule>

const missingGrant = (rule: AnyRule, actor: Actor): CredentialGrant | null => {
  const needed = requiredGrants[rule]
  return actor._tag === "System" || actor.grants.includes(needed) ? null : needed
}

// Checks the rule before the grants: if the rule refuses, no wider credential would help.
const pass = (rule: AnyRule, actor: Actor, isAllowed: boolean): Effect.Effect<void, AccessDenied> => {
  if (!isAllowed) return new AccessDenied({ rule, missingGrant: null })
  const missing = missingGrant(rule, actor)
  return missing === null ? Effect.void : new AccessDenied({ rule, missingGrant: missing })
}
