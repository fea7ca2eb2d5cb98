/** Identifies the user of a page: by Errata's session or by the application that embeds Errata. */
import {
  AccessPolicy,
  Actor,
  CurrentActor,
  type Session,
  Sessions,
  type StorageError,
  type User,
  Users,
} from "@errata/core"
import { Context, Data, Effect, Option, Redacted } from "effect"
import * as SiteCookies from "./SiteCookies.js"
import type { SiteRequest } from "./SiteRequest.js"

/** The sign-in of the application that embeds Errata. */
export interface ForeignIdentity {
  /** The email address of the user who is signed in to the application that embeds Errata, or null. */
  readonly identify: (request: SiteRequest) => Effect.Effect<string | null>
  /** Returns the URL of the sign-in page, which must redirect to `returnTo`, a URL of this instance. */
  readonly signInUrl: (returnTo: string) => string
}

/** The user of the embedding application is no active user of Errata. A redirect to sign in would loop. */
export class NoAccount extends Data.TaggedError("NoAccount")<{ readonly emailAddress: string }> {}

/** Null unless an embedding application signs users in. */
export const PeopleIdentity = Context.Reference("@errata/http/site/PeopleIdentity", {
  defaultValue: (): ForeignIdentity | null => null,
})

export interface Visitor {
  readonly user: User
  /** Null if the embedding application signs users in. */
  readonly session: Session | null
  /** Identifies the user in CSRF tokens. */
  readonly binding: string
}

/** The binding of forms for visitors who are not signed in. */
export const nobodysBinding = "nobody"

/** Returns the signed-in user, or null. */
export const visitorOf = (
  request: SiteRequest,
): Effect.Effect<Visitor | null, StorageError | NoAccount, Sessions | Users | AccessPolicy.AccessPolicy> =>
  Effect.gen(function* () {
    const foreign = yield* PeopleIdentity
    if (foreign !== null) {
      const emailAddress = yield* foreign.identify(request)
      if (emailAddress === null) return null
      const user = yield* activeUser(emailAddress)
      return { user, session: null, binding: `user ${user.id}` }
    }
    const token = SiteCookies.read(request, "session")
    if (token === null) return null
    const found = yield* (yield* Sessions).identify(Redacted.make(token))
    if (Option.isNone(found)) return null
    const { session, user } = found.value
    return { session, user, binding: `session ${session.id}` }
  })

// internal

const activeUser = (emailAddress: string) =>
  Effect.gen(function* () {
    const users = yield* Users
    const allowed = yield* Effect.catchTag(AccessPolicy.instance("users.read"), "AccessDenied", (error) =>
      Effect.die(error),
    )
    return yield* Effect.catchTag(
      users.findByEmailAddress(allowed, emailAddress),
      "UserNotFound",
      () => new NoAccount({ emailAddress }),
    )
  }).pipe(Effect.provideService(CurrentActor, Actor.System()))
