import { assigneeView, MemberAddition, pageFields, userView } from "@errata/api/internal"
import { AccessPolicy, Members, UserId } from "@errata/core"
import { Effect } from "effect"
import * as AuthorizedBody from "./AuthorizedBody.js"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"
import { inProject } from "./ProjectPath.js"
import type { HandlersOf } from "./ServedApi.js"

export const make = (handlers: HandlersOf<"members">) =>
  Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    const members = yield* Members

    const administered = inProject(access, "project.administer")

    const inspected = inProject(access, "project.inspect")

    return handlers
      .handle("list", ({ params, query }) =>
        Effect.gen(function* () {
          const page = yield* members.list(yield* inspected(params), pageRequest(query))
          return { users: page.items.map(userView), ...pageFields(page) }
        }).pipe(toProblems),
      )
      .handleRaw("add", ({ params, request }) =>
        AuthorizedBody.use(request, MemberAddition, administered(params), ({ user_id }, project) =>
          members.add(project, UserId.make(user_id)),
        ).pipe(toProblems),
      )
      .handle("remove", ({ params }) =>
        Effect.gen(function* () {
          yield* members.remove(yield* administered(params), UserId.make(params.user_id))
        }).pipe(toProblems),
      )
  })

export const makeAssignees = (handlers: HandlersOf<"assignees">) =>
  Effect.gen(function* () {
    const readable = inProject(yield* AccessPolicy.AccessPolicy, "assignees.read")
    const members = yield* Members

    return handlers.handle("list", ({ params, query }) =>
      Effect.gen(function* () {
        const page = yield* members.assignees(yield* readable(params), pageRequest(query))
        return { assignees: page.items.map(assigneeView), ...pageFields(page) }
      }).pipe(toProblems),
    )
  })

export const makePeople = (handlers: HandlersOf<"people">) =>
  Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    const members = yield* Members

    return handlers.handle("all", () =>
      access.instance("people.list").pipe(
        Effect.flatMap(members.people),
        Effect.map((people) => ({ people: people.map(assigneeView) })),
        toProblems,
      ),
    )
  })
