import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import {
  type ErrataApi,
  pageFields,
  signInLinkUrl,
  signInLinkView,
  UserCreation,
  UserUpdate,
  userView,
} from "@errata/api"
import { AccessPolicy, SignIn, type SignInLink, UserId, Users } from "@errata/core"
import { Effect, Redacted } from "effect"
import { baseUrlOf } from "../BaseUrl.js"
import type { HttpSettings } from "../HttpOptions.js"
import * as AuthorizedBody from "./AuthorizedBody.js"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"

export const layer = (api: ErrataApi, settings: HttpSettings) =>
  HttpApiBuilder.group(api, "users", (handlers) =>
    Effect.gen(function* () {
      const access = yield* AccessPolicy.AccessPolicy
      const users = yield* Users
      const signIn = yield* SignIn

      const linked = (link: SignInLink) =>
        Effect.map(HttpServerRequest.HttpServerRequest, (request) =>
          signInLinkView(
            signInLinkUrl(baseUrlOf(settings, request), Redacted.value(link.token)),
            link.expiresAt,
          ),
        )

      return handlers
        .handle("list", ({ urlParams }) =>
          Effect.gen(function* () {
            const page = yield* users.list(yield* access.instance("users.read"), pageRequest(urlParams))
            return { users: page.items.map(userView), ...pageFields(page) }
          }).pipe(toProblems),
        )
        .handleRaw("create", ({ request }) =>
          AuthorizedBody.use(request, UserCreation, access.instance("users.administer"), (input, allowed) =>
            users.invite(allowed, {
              emailAddress: input.email_address,
              name: input.name ?? input.email_address,
              role: input.role ?? "member",
            }),
          ).pipe(
            Effect.flatMap(({ link, user }) =>
              Effect.map(linked(link), (view) => ({ ...userView(user), ...view })),
            ),
            toProblems,
          ),
        )
        .handle("createSignInLink", ({ path }) =>
          access.instance("users.administer").pipe(
            Effect.flatMap((allowed) => signIn.createLink(allowed, UserId.make(path.user_id))),
            Effect.flatMap(linked),
            toProblems,
          ),
        )
        .handle("rotateApiKey", ({ path }) =>
          access.instance("users.administer").pipe(
            Effect.flatMap((allowed) => users.rotateApiKey(allowed, UserId.make(path.user_id))),
            Effect.map(({ apiKey }) => ({ api_key: Redacted.value(apiKey) })),
            toProblems,
          ),
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
