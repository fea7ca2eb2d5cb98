/** Creates the admin and the project that a new instance needs. */
import { Effect, type Redacted } from "effect"
import { AccessPolicy } from "../access/AccessPolicy.js"
import { Actor, CurrentActor } from "../access/Actor.js"
import { generateApiKey } from "../access/Secrets.js"
import type { Project } from "../project/Project.js"
import { Projects } from "../project/Projects.js"
import * as Transactions from "../storage/Transactions.js"
import { UserStore } from "../user/UserStore.js"
import { type InvitedUser, Users } from "../user/Users.js"
import { taken, ValidationError } from "../validation/ValidationError.js"

/** The options of a new instance. */
export interface FirstStartOptions {
  readonly adminEmailAddress: string
  /** The admin's API key; a fresh one where none is given. */
  readonly adminApiKey?: Redacted.Redacted | undefined
  /**
   * Shows the admin, the API key and the link to whoever starts the instance. Done before the admin is committed: a process that
   * ends in between leaves no admin whose key nobody has seen. Where the database asks for it, done again.
   */
  readonly showAdmin?: ((admin: InvitedUser) => Effect.Effect<void>) | undefined
}

export interface FirstStart {
  /** The admin, if this call created one. */
  readonly admin: InvitedUser | null
  /** The first project, if this call created it. */
  readonly project: Project | null
}

/** Creates what is missing and nothing else. Of several nodes that start at once, one creates. */
export const firstStart = Effect.fn("firstStart")(
  function* (options: FirstStartOptions) {
    const access = yield* AccessPolicy
    const users = yield* Users
    const store = yield* UserStore
    const projects = yield* Projects
    const transaction = yield* Transactions.make
    const adminApiKey = options.adminApiKey ?? (yield* generateApiKey)
    const one = { limit: 1, cursor: null }

    const admin = Effect.gen(function* () {
      const allowed = yield* access.instance("users.administer")
      return yield* transaction(
        Effect.gen(function* () {
          if ((yield* store.countActiveAdmins) > 0) return null
          const admin = yield* users.invite(allowed, {
            name: "Admin",
            emailAddress: options.adminEmailAddress,
            role: "admin",
            apiKey: adminApiKey,
          })
          if (options.showAdmin !== undefined) yield* options.showAdmin(admin)
          return admin
        }),
      )
    }).pipe(unlessTaken("emailAddress"))

    const project = Effect.gen(function* () {
      const listed = yield* projects.list(yield* access.instance("projects.list"), { name: null }, one)
      if (listed.items.length > 0) return null
      return yield* projects.create(yield* access.instance("projects.create"), { name: "First project" })
    }).pipe(unlessTaken("name"))

    return { admin: yield* admin, project: yield* project } satisfies FirstStart
  },
  Effect.provideService(CurrentActor, Actor.System()),
)

// internal

/** Another node was faster. */
const unlessTaken =
  (field: string) =>
  <A, E, R>(
    effect: Effect.Effect<A, E | ValidationError, R>,
  ): Effect.Effect<A | null, E | ValidationError, R> =>
    Effect.catchIf(
      effect,
      (error): error is ValidationError =>
        error instanceof ValidationError && error.errors[field]?.[0] === taken,
      () => Effect.succeed(null),
    )
