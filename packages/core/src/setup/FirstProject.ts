/** The project that an instance inside an application reports to unless told. */
import { Effect, Option } from "effect"
import * as AccessPolicy from "../access/AccessPolicy.js"
import { Actor, CurrentActor } from "../access/Actor.js"
import type { Project } from "../project/Project.js"
import { ProjectStore } from "../project/ProjectStore.js"
import { Projects } from "../project/Projects.js"
import { maxPageSize } from "../storage/Page.js"
import type { StorageError } from "../storage/StorageError.js"
import type { ValidationError } from "../validation/ValidationError.js"

/**
 * The project of that name, created where it is missing. Without a name it is the oldest one of the instance, whatever it
 * is called, and where there is none a new one. Of several nodes that start at once, one creates it.
 */
export const firstProject = Effect.fn("firstProject")(
  function* (name: string | null) {
    const store = yield* ProjectStore
    const projects = yield* Projects
    const find = name === null ? oldest(store) : named(store, name)
    const create = Effect.flatMap(AccessPolicy.instance("projects.create"), (allowed) =>
      projects.create(allowed, { name: name ?? "First project" }),
    )
    const found = yield* find
    if (found._tag === "Some") return found.value
    return yield* Effect.catchTag(create, "ValidationError", (error) =>
      // Another node was faster; or the name is none.
      Effect.flatMap(find, (project) =>
        Option.match(project, {
          onNone: (): Effect.Effect<Project, ValidationError> => Effect.fail(error),
          onSome: Effect.succeed,
        }),
      ),
    )
  },
  Effect.provideService(CurrentActor, Actor.System()),
)

// internal

type Store = ProjectStore["Service"]

// As `Projects` stores it.
const named = (store: Store, name: string) =>
  Effect.map(store.list({ only: null, name: name.trim() }, { limit: 1, cursor: null }), ({ items }) =>
    Option.fromNullishOr(items[0]),
  )

const oldest = (store: Store): Effect.Effect<Option.Option<Project>, StorageError> =>
  Effect.gen(function* () {
    let last: Project | undefined
    let cursor: number | null = null
    do {
      const page: Effect.Success<ReturnType<Store["list"]>> = yield* store.list(
        { only: null, name: null },
        { limit: maxPageSize, cursor },
      )
      last = page.items.at(-1) ?? last
      cursor = page.nextCursor
    } while (cursor !== null)
    return Option.fromNullishOr(last)
  })
