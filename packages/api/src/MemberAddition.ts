import { Schema } from "effect"
import { described, named } from "./Json.js"
import { IdValue } from "./Params.js"

/** The input for a new member. */
export const MemberAddition = Schema.Struct({
  user_id: described("Id of an active user. Adding a member again changes nothing", IdValue),
}).pipe(named("MemberAddition", { user_id: 3 }))
export type MemberAddition = typeof MemberAddition.Type
