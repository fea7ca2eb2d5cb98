import { Context, Data } from "effect"
import type { User, UserId } from "../user/User.js"

/** What a person can let an application do in their name: look at things, change them. */
export type Grant = "read" | "write"

/**
 * What a credential lets its user do at most. Decisions about accounts are none that an application can be let make: with
 * a key or a sign-in link of its own making it would still be in after it was disconnected.
 */
export type CredentialGrant = Grant | "accounts"

/** The grants of a credential that is no narrower than its user. */
export const allGrants: ReadonlyArray<CredentialGrant> = ["read", "write", "accounts"]

/** Who acts: a person with a role and memberships, or Errata itself and whoever runs it. */
export type Actor = Data.TaggedEnum<{
  /** The grants narrow what the person may do, and never widen it. */
  Person: { readonly user: User; readonly grants: ReadonlyArray<CredentialGrant> }
  /** Has every grant. */
  System: {}
}>

const { $is, $match, Person, System } = Data.taggedEnum<Actor>()

export const Actor = {
  $is,
  $match,
  System,
  /** A person with all grants, unless told. */
  Person: ({
    grants = allGrants,
    user,
  }: {
    readonly user: User
    readonly grants?: ReadonlyArray<CredentialGrant>
  }) => Person({ user, grants }),
}

/** The user to be named as the author of a change; null for the system. */
export const userIdOf = (actor: Actor): UserId | null => (actor._tag === "Person" ? actor.user.id : null)

/** The actor of the current call. Transports provide it once they know who is calling. */
export class CurrentActor extends Context.Service<CurrentActor, Actor>()(
  "@errata/core/access/CurrentActor",
) {}
