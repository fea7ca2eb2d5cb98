/** A user as the API shows it. */
import { Role, type User } from "@errata/core"
import { Schema } from "effect"
import { described, Timestamp } from "./Json.js"

export const UserView = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  email_address: Schema.String,
  role: Role,
  active: Schema.Boolean,
  project_ids: described(
    "The projects that the user can access: for admins all there are",
    Schema.Array(Schema.Int),
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
}).annotations({ identifier: "User" })
export type UserView = typeof UserView.Type

/** What may be changed of a user. */
export const UserUpdate = Schema.Struct({
  role: Schema.Literal("admin", "member").annotations({
    message: () => ({ message: "must be admin or member", override: true }),
  }),
}).annotations({ identifier: "UserUpdate" })
export type UserUpdate = typeof UserUpdate.Type

export const userView = (user: User): UserView => ({
  id: user.id,
  name: user.name,
  email_address: user.emailAddress,
  role: user.role,
  active: user.active,
  project_ids: user.projectIds,
  created_at: user.createdAt,
  updated_at: user.updatedAt,
})
