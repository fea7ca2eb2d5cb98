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
            const page = yield* users.list(yield* access.instance("users.read"), pageRequest(urlParams))
            return { users: page.items.map(userView), ...pageFields(page) }
          }).pipe(toProblems),
        )
        .handle("get", ({ path }) =>
          access.instance("users.read").pipe(
            Effect.flatMap((allowed) => users.get(allowed, UserId.make(path.user_id))),
            Effect.map(userView),
            toProblems,
          ),
        )
        .handleRaw("update", ({ path, request }) =>
          AuthorizedBody.use(request, UserUpdate, access.instance("users.administer"), ({ role }, allowed) =>
            users.setRole(allowed, UserId.make(path.user_id), role),
          ).pipe(Effect.map(userView), toProblems),
        )
        .handle("deactivate", ({ path }) =>
          Effect.flatMap(access.instance("users.administer"), (allowed) =>
            users.deactivate(allowed, UserId.make(path.user_id)),
          ).pipe(toProblems),
        )
    }),
  )
