import { HttpApiBuilder } from "effect/http-api"
import { assigneeView, type ErrataApi, pageFields } from "@errata/api"
import { AccessPolicy, Members, ProjectId } from "@errata/core"
import { Effect } from "effect"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"

export const layer = (api: ErrataApi) =>
  HttpApiBuilder.group(api, "assignees", (handlers) =>
    Effect.gen(function* () {
      const access = yield* AccessPolicy.AccessPolicy
      const members = yield* Members

      return handlers.handle("list", ({ path, urlParams }) =>
        Effect.gen(function* () {
          const project = yield* access.project("assignees.read", ProjectId.make(path.project_id))
          const page = yield* members.assignees(project, pageRequest(urlParams))
          return { assignees: page.items.map(assigneeView), ...pageFields(page) }
        }).pipe(toProblems),
      )
    }),
  )
