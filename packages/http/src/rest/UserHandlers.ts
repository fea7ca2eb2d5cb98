import {
  pageFields,
  signInLinkUrl,
  signInLinkView,
  UserCreation,
  UserUpdate,
  userView,
} from "@errata/api/internal"
import { AccessPolicy, SignIn, type SignInLink, UserId, Users, WebAddress } from "@errata/core"
import { Effect, Redacted } from "effect"
import * as AuthorizedBody from "./AuthorizedBody.js"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"
import type { HandlersOf } from "./ServedApi.js"

export const make = (handlers: HandlersOf<"users">) =>
  Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    const users = yield* Users
    const signIn = yield* SignIn

    const linked = (link: SignInLink) =>
      // A call within the process without a base URL gets the path below the mount.
      Effect.map(WebAddress, (baseUrl) =>
        signInLinkView(signInLinkUrl(baseUrl ?? "", Redacted.value(link.token)), link.expiresAt),
      )

    return handlers
      .handle("list", ({ query }) =>
        Effect.gen(function* () {
          const page = yield* users.list(yield* access.instance("users.read"), pageRequest(query))
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
      .handle("createSignInLink", ({ params }) =>
        access.instance("users.administer").pipe(
          Effect.flatMap((allowed) => signIn.createLink(allowed, UserId.make(params.user_id))),
          Effect.flatMap(linked),
          toProblems,
        ),
      )
      .handle("rotateApiKey", ({ params }) =>
        access.instance("users.administer").pipe(
          Effect.flatMap((allowed) => users.rotateApiKey(allowed, UserId.make(params.user_id))),
          Effect.map(({ apiKey }) => ({ api_key: Redacted.value(apiKey) })),
          toProblems,
        ),
      )
      .handle("get", ({ params }) =>
        access.instance("users.read").pipe(
          Effect.flatMap((allowed) => users.get(allowed, UserId.make(params.user_id))),
          Effect.map(userView),
          toProblems,
        ),
      )
      .handleRaw("update", ({ params, request }) =>
        AuthorizedBody.use(request, UserUpdate, access.instance("users.administer"), ({ role }, allowed) =>
          users.setRole(allowed, UserId.make(params.user_id), role),
        ).pipe(Effect.map(userView), toProblems),
      )
      .handle("deactivate", ({ params }) =>
        Effect.flatMap(access.instance("users.administer"), (allowed) =>
          users.deactivate(allowed, UserId.make(params.user_id)),
        ).pipe(toProblems),
      )
  })
