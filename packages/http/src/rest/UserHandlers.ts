import { HttpApiBuilder } from "@effect/platform"
import { type ErrataApi, pageFields, UserUpdate, userView } from "@errata/api"
import { AccessPolicy, UserId, Users } from "@errata/core"
import { Effect } from "effect"
import * as AuthorizedBody from "./AuthorizedBody.js"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"

export const layer = (api: ErrataApi) =>
  HttpApiBuilder.group(api, "users", (handlers) =>
    Effect.gen(function* () {
      const access = yield* AccessPolicy.AccessPolicy
      const users = yield* Users

      return handlers
        .handle("list", ({ urlParams }) =>
          Effect.gen(function* () {
            const page = yield* users.list(pageRequest(urlParams))
            return { users: page.items.map(userView), ...pageFields(page) }
          }).pipe(toProblems),
        )
        .handle("get", ({ path }) =>
          users.get(UserId.make(path.user_id)).pipe(Effect.map(userView), toProblems),
        )
        .handleRaw("update", ({ path, request }) =>
          AuthorizedBody.use(request, UserUpdate, access.check("users.administer"), ({ role }) =>
            users.setRole(UserId.make(path.user_id), role),
          ).pipe(Effect.map(userView), toProblems),
        )
        .handle("deactivate", ({ path }) => users.deactivate(UserId.make(path.user_id)).pipe(toProblems))
    }),
  )
