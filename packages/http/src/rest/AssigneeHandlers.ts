import { assigneeView, pageFields } from "@errata/api/internal"
import { AccessPolicy, Members, ProjectId } from "@errata/core"
import { Effect } from "effect"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"
import type { HandlersOf } from "./ServedApi.js"

export const make = (handlers: HandlersOf<"assignees">) =>
  Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    const members = yield* Members

    return handlers.handle("list", ({ params, query }) =>
      Effect.gen(function* () {
        const project = yield* access.project("assignees.read", ProjectId.make(params.project_id))
        const page = yield* members.assignees(project, pageRequest(query))
        return { assignees: page.items.map(assigneeView), ...pageFields(page) }
      }).pipe(toProblems),
    )
  })
