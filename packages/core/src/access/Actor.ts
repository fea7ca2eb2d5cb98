import { Context, Data } from "effect"
import type { User, UserId } from "../user/User.js"

/** Rights that a person can grant to an application. */
export type Grant = "read" | "write"

/**
 * Upper bound of a credential's rights. Applications cannot be granted `accounts`: one could create its own API key or
 * sign-in link, and keep access after the user disconnected it.
 */
export type CredentialGrant = Grant | "accounts"

/** The grants of a credential without restrictions. */
export const allGrants: ReadonlyArray<CredentialGrant> = ["read", "write", "accounts"]

/** The caller: a person with a role and memberships, or the system, which includes the operator. */
export type Actor = Data.TaggedEnum<{
  /** Grants restrict the person's rights and never extend them. */
  Person: { readonly user: User; readonly grants: ReadonlyArray<CredentialGrant> }
  /** Has every grant. */
  System: {}
}>

const { $is, $match, Person, System } = Data.taggedEnum<Actor>()

export const Actor = {
  $is,
  $match,
  System,
  /** Creates a person; all grants by default. */
  Person: ({
    grants = allGrants,
    user,
  }: {
    readonly user: User
    readonly grants?: ReadonlyArray<CredentialGrant>
  }) => Person({ user, grants }),
}

/** The user id of a change's author, or null for the system. */
export const userIdOf = (actor: Actor): UserId | null => (actor._tag === "Person" ? actor.user.id : null)

/** The actor of the current call. Transports provide it after authentication. */
export class CurrentActor extends Context.Service<CurrentActor, Actor>()(
  "@errata/core/access/CurrentActor",
) {}
