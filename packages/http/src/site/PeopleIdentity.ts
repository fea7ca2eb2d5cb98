/** Who is looking at the pages: whoever signed in here, or in the application around. */
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
import { Context, Data, Effect, Redacted } from "effect"
import * as SiteCookies from "./SiteCookies.js"
import type { SiteRequest } from "./SiteRequest.js"

/** The sign-in of the application that embeds Errata. */
export interface ForeignIdentity {
  /** The email address of the user who is signed in to the application that embeds Errata, or null. */
  readonly identify: (request: SiteRequest) => Effect.Effect<string | null>
  /** Where people sign in; they are to come back to `returnTo`, an address of this instance. */
  readonly signInUrl: (returnTo: string) => string
}

/** Who is signed in to the application around, and is no active user here: to sign in again would lead back to here. */
export class NoAccount extends Data.TaggedError("NoAccount")<{ readonly emailAddress: string }> {}

/** Null where people sign in with Errata's own pages, as they do unless an embedding application says otherwise. */
export const PeopleIdentity = Context.Reference("@errata/http/site/PeopleIdentity", {
  defaultValue: (): ForeignIdentity | null => null,
})

export interface Visitor {
  readonly user: User
  /** None where people sign in elsewhere. */
  readonly session: Session | null
  /** What forms are made out to. */
  readonly binding: string
}

/** What forms of nobody are made out to. */
export const nobodysBinding = "nobody"

/** Whoever is looking; null for nobody. */
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
    if (found._tag === "None") return null
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
