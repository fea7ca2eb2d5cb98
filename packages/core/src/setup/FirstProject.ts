/** Finds or creates the project of an embedded instance. */
import { Effect, Option } from "effect"
import * as AccessPolicy from "../access/AccessPolicy.js"
import { Actor, CurrentActor } from "../access/Actor.js"
import type { Project } from "../project/Project.js"
import { ProjectStore } from "../project/ProjectStore.js"
import { Projects } from "../project/Projects.js"
import { maxPageSize } from "../storage/Page.js"
import type { StorageError } from "../storage/StorageError.js"
import { taken, ValidationError } from "../validation/ValidationError.js"

/** The application's key and name for its project. */
export interface ProjectBinding {
  /** Stays the same when users rename the project. */
  readonly key: string
  /** The name for a new project. Defaults to the key. */
  readonly name?: string | undefined
}

/**
 * Returns the project with the key. If there is none, binds the project with the name, or creates one. Fails if that
 * project has another key, because it belongs to another application.
 *
 * Without a binding, returns the oldest unbound project, or creates one. Of several nodes that start at once, one
 * creates it. On a shared storage, a warning names a project that existed before.
 */
export const firstProject = Effect.fn("firstProject")(
  (binding: ProjectBinding | null, isShared = true) =>
    binding === null ? unbound(isShared) : boundTo(binding),
  Effect.provideService(CurrentActor, Actor.System()),
)

// internal

type Store = ProjectStore["Service"]

const create = Effect.fnUntraced(function* (project: { readonly name: string; readonly key?: string }) {
  const projects = yield* Projects
  return yield* projects.create(yield* AccessPolicy.instance("projects.create"), project)
})

const boundTo = Effect.fnUntraced(function* ({ key: given, name: givenName = given }: ProjectBinding) {
  const store = yield* ProjectStore
  // Trimmed as in `Projects`.
  const [key, name] = [given.trim(), givenName.trim()]
  const find = Effect.gen(function* () {
    const known = yield* store.findByKey(key)
    if (Option.isSome(known)) return known
    const named = yield* withName(store, name)
    return Option.isSome(named) ? yield* store.bind(named.value.id, key) : named
  })
  const found = yield* find
  if (Option.isSome(found)) return found.value
  return yield* Effect.catchTag(create({ name, key }), "ValidationError", (error) =>
    // Another node created the project, or the key or name is invalid or taken.
    Effect.flatMap(
      find,
      Option.match({
        onNone: (): Effect.Effect<Project, ValidationError> => Effect.fail(explained(error, name)),
        onSome: Effect.succeed,
      }),
    ),
  )
})

const unbound = Effect.fnUntraced(function* (isShared: boolean) {
  const store = yield* ProjectStore
  const found = yield* oldestUnbound(store)
  if (Option.isSome(found)) {
    if (isShared) yield* warnOf(found.value)
    return found.value
  }
  return yield* Effect.catchTag(create({ name: firstName }), "ValidationError", (error) =>
    Effect.flatMap(
      oldestUnbound(store),
      Option.match({
        onNone: (): Effect.Effect<Project, ValidationError> => Effect.fail(explained(error, firstName)),
        onSome: Effect.succeed,
      }),
    ),
  )
})

const warnOf = ({ name }: Project) =>
  Effect.annotateLogs(
    Effect.logWarning(
      'The option project is not set. Errors go to the oldest project that no application has bound. Set it, for example project: "Shop"',
    ),
    { project: name },
  )

const firstName = "First project"

const explained = (error: ValidationError, name: string): ValidationError =>
  error.errors.name?.[0] === taken
    ? ValidationError.of("project", `"${name}" belongs to another application. Set another key and name`)
    : error

const withName = (store: Store, name: string) =>
  Effect.map(store.list({ only: null, name }, { limit: 1, cursor: null }), ({ items }) =>
    Option.fromNullishOr(items[0]),
  )

const oldestUnbound = (store: Store): Effect.Effect<Option.Option<Project>, StorageError> =>
  Effect.gen(function* () {
    let last: Project | undefined
    let cursor: number | null = null
    do {
      const page: Effect.Success<ReturnType<Store["list"]>> = yield* store.list(
        { only: null, name: null },
        { limit: maxPageSize, cursor },
      )
      last = page.items.findLast(({ key }) => key === null) ?? last
      cursor = page.nextCursor
    } while (cursor !== null)
    return Option.fromNullishOr(last)
  })
