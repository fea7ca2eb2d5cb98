import { Context, Effect, Layer, Option } from "effect"
import { AccessPolicy, type AuthorizedInstance, type AuthorizedProject } from "../access/AccessPolicy.js"
import * as Page from "../storage/Page.js"
import type { UserId } from "../user/User.js"
import { withAccess } from "../user/UserAccess.js"
import { UserStore } from "../user/UserStore.js"
import { ValidationError } from "../validation/ValidationError.js"
import { ProjectStore } from "./ProjectStore.js"

/** A possible assignee of groups. Members see only these fields of each other. */
export interface Assignee {
  readonly id: UserId
  readonly name: string
}

/** Manages access of users to a project. */
export class Members extends Context.Service<Members>()("@errata/core/project/Members", {
  make: Effect.gen(function* () {
    const access = yield* AccessPolicy
    const users = yield* UserStore
    const projects = yield* ProjectStore

    /** Active users with access to the project, including admins, newest first. */
    const list = Effect.fn("Members.list")(function* (
      { project }: AuthorizedProject<"project.inspect">,
      page: Page.PageRequest,
    ) {
      const { items, nextCursor } = yield* users.list(project.id, yield* Page.checked(page))
      return { items: yield* withAccess(projects, items), nextCursor }
    })

    /** Ids and names of users with access to the project, newest first. */
    const assignees = Effect.fn("Members.assignees")(function* (
      { project }: AuthorizedProject<"assignees.read">,
      page: Page.PageRequest,
    ) {
      const { items, nextCursor } = yield* users.list(project.id, yield* Page.checked(page))
      return { items: items.map(({ id, name }): Assignee => ({ id, name })), nextCursor }
    })

    /** Ids and names of users who share a project with the actor, including inactive ones, newest first. */
    const people = Effect.fn("Members.people")(function* ({ actor }: AuthorizedInstance<"people.list">) {
      return yield* users.listSharing(yield* access.visibleProjects(actor))
    })

    /** Makes an active user a member. Idempotent. */
    const add = Effect.fn("Members.add")(function* (
      { project }: AuthorizedProject<"project.administer">,
      userId: UserId,
    ) {
      const user = yield* users.find(userId)
      if (!Option.exists(user, ({ active }) => active)) {
        return yield* ValidationError.of("userId", "is not an active user")
      }
      yield* users.addMembership(userId, project.id)
    })

    /** Ends a membership. Idempotent. */
    const remove = Effect.fn("Members.remove")(function* (
      { project }: AuthorizedProject<"project.administer">,
      userId: UserId,
    ) {
      yield* users.removeMembership(userId, project.id)
    })

    return { list, assignees, people, add, remove }
  }),
}) {
  static readonly Default = Layer.effect(this, this.make)
}
