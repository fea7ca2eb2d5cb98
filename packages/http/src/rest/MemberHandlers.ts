import { HttpApiBuilder } from "effect/http-api"
import { type ErrataApi, MemberAddition, pageFields, userView } from "@errata/api"
import { AccessPolicy, Members, ProjectId, UserId } from "@errata/core"
import { Effect } from "effect"
import * as AuthorizedBody from "./AuthorizedBody.js"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"

export const layer = (api: ErrataApi) =>
  HttpApiBuilder.group(api, "members", (handlers) =>
    Effect.gen(function* () {
      const access = yield* AccessPolicy.AccessPolicy
      const members = yield* Members

      const administered = (path: { readonly project_id: number }) =>
        access.project("project.administer", ProjectId.make(path.project_id))

      const inspected = (path: { readonly project_id: number }) =>
        access.project("project.inspect", ProjectId.make(path.project_id))

      return handlers
        .handle("list", ({ path, urlParams }) =>
          Effect.gen(function* () {
            const page = yield* members.list(yield* inspected(path), pageRequest(urlParams))
            return { users: page.items.map(userView), ...pageFields(page) }
          }).pipe(toProblems),
        )
        .handleRaw("add", ({ path, request }) =>
          AuthorizedBody.use(request, MemberAddition, administered(path), ({ user_id }, project) =>
            members.add(project, UserId.make(user_id)),
          ).pipe(toProblems),
        )
        .handle("remove", ({ path }) =>
          Effect.gen(function* () {
            yield* members.remove(yield* administered(path), UserId.make(path.user_id))
          }).pipe(toProblems),
        )
    }),
  )
