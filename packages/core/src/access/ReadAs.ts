/** Reading on behalf of a user, for custom transports. */
import { Effect, Option } from "effect"
import type { ProjectId } from "../project/Project.js"
import type { UserId } from "../user/User.js"
import { UserNotFound } from "../user/UserNotFound.js"
import { UserStore } from "../user/UserStore.js"
import * as AccessPolicy from "./AccessPolicy.js"
import { Actor, CurrentActor } from "./Actor.js"

/**
 * Checks that an active user may do something in a project, and calls `use` with the proof that services require. Fails
 * with `UserNotFound` if no active user has the id, with `ProjectNotFound` if the user cannot see the project, and with
 * `AccessDenied` if the rule refuses.
 *
 * @example
 * ```ts
 * const newest = Effect.gen(function* () {
 *   const groups = yield* Groups
 *   return yield* readAs(userId, "groups.read", projectId, (project) =>
 *     groups.list(project, GroupFilter.all, Page.first),
 *   )
 * })
 * ```
 */
export const readAs = <Rule extends AccessPolicy.ProjectRule, A, E, R>(
  userId: UserId,
  rule: Rule,
  projectId: ProjectId,
  use: (project: AccessPolicy.AuthorizedProject<AccessPolicy.Known<Rule>>) => Effect.Effect<A, E, R>,
) =>
  Effect.gen(function* () {
    const users = yield* UserStore
    const user = Option.filter(yield* users.find(userId), ({ active }) => active)
    if (Option.isNone(user)) return yield* new UserNotFound({ user: String(userId) })
    return yield* Effect.flatMap(AccessPolicy.project(rule, projectId), use).pipe(
      Effect.provideService(CurrentActor, Actor.Person({ user: user.value })),
    )
  })
