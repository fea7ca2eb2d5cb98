import { pageFields, signInLinkView, UserCreation, UserUpdate, userView } from "@errata/api/internal"
import {
  AccessPolicy,
  AccountMails,
  SignIn,
  type SignInLink,
  signInLinkUrl,
  UserId,
  Users,
  WebAddress,
} from "@errata/core"
import { Effect, Redacted } from "effect"
import { PeopleIdentity } from "../site/PeopleIdentity.js"
import * as AuthorizedBody from "./AuthorizedBody.js"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"
import type { HandlersOf } from "./ServedApi.js"

export const make = (handlers: HandlersOf<"users">) =>
  Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    const users = yield* Users
    const signIn = yield* SignIn
    const mails = yield* AccountMails

    const linked = Effect.fnUntraced(function* (
      allowed: AccessPolicy.AuthorizedInstance<"users.administer">,
      userId: UserId,
      link: SignInLink,
    ) {
      // In-process calls without a base URL return the path below the mount.
      const url = signInLinkUrl((yield* WebAddress) ?? "", Redacted.value(link.token))
      // If an application signs users in, sign-in links do not work.
      const mailed = (yield* PeopleIdentity) === null && (yield* mails.sendLink(allowed, userId, link))
      return signInLinkView(url, link.expiresAt, mailed)
    })

    return handlers
      .handle("list", ({ query }) =>
        Effect.gen(function* () {
          const page = yield* users.list(yield* access.instance("users.read"), pageRequest(query))
          return { users: page.items.map(userView), ...pageFields(page) }
        }).pipe(toProblems),
      )
      .handleRaw("create", ({ request }) =>
        AuthorizedBody.use(request, UserCreation, access.instance("users.administer"), (input, allowed) =>
          Effect.flatMap(
            users.invite(allowed, {
              emailAddress: input.email_address,
              name: input.name ?? input.email_address,
              role: input.role ?? "member",
            }),
            ({ link, user }) =>
              Effect.map(linked(allowed, user.id, link), (view) => ({ ...userView(user), ...view })),
          ),
        ).pipe(toProblems),
      )
      .handle("createSignInLink", ({ params }) =>
        Effect.gen(function* () {
          const id = UserId.make(params.user_id)
          const allowed = yield* access.instance("users.administer")
          return yield* linked(allowed, id, yield* signIn.createLink(allowed, id))
        }).pipe(toProblems),
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
