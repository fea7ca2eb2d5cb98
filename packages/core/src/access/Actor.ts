import { Context, Data } from "effect"
import type { User, UserId } from "../user/User.js"

/** Who acts: a person with a role and memberships, or Errata itself and whoever runs it. */
export type Actor = Data.TaggedEnum<{
  Person: { readonly user: User }
  System: {}
}>
export const Actor = Data.taggedEnum<Actor>()

/** The user to be named as the author of a change; null for the system. */
export const userIdOf = (actor: Actor): UserId | null => (actor._tag === "Person" ? actor.user.id : null)

/** The actor of the current call. Transports provide it once they know who is calling. */
export class CurrentActor extends Context.Tag("@errata/core/access/CurrentActor")<CurrentActor, Actor>() {}
