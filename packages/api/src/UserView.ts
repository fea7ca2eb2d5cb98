/** A user as the API shows it. */
import { Role, type User } from "@errata/core/user"
import { Schema } from "effect"
import { at, described, Timestamp } from "./Json.js"

export const UserView = Schema.Struct({
  id: described("The user's id", Schema.Int),
  name: described("What the user is called", Schema.String),
  email_address: described("The e-mail address, unique among users", Schema.String),
  role: described("What the user may do: `admin` everything, `member` what its projects need", Role),
  active: described("Whether the user can log in and call the API", Schema.Boolean),
  project_ids: described(
    "The projects that the user can access: for admins all there are",
    Schema.Array(Schema.Int),
  ),
  created_at: described("When the account was created", Timestamp),
  updated_at: described("When it last changed", Timestamp),
}).annotations({
  identifier: "User",
  examples: [
    {
      id: 3,
      name: "Operator",
      email_address: "operator@example.com",
      role: "member",
      active: true,
      project_ids: [1],
      created_at: at("2026-01-01T08:00:00.000Z"),
      updated_at: at("2026-01-01T08:00:00.000Z"),
    },
  ],
})
export type UserView = typeof UserView.Type

/** What may be changed of a user. */
export const UserUpdate = Schema.Struct({
  role: described(
    "The role from now on; admins have access to every project",
    Schema.Literal("admin", "member").annotations({
      message: () => ({ message: "must be admin or member", override: true }),
    }),
  ),
}).annotations({ identifier: "UserUpdate", examples: [{ role: "admin" }] })
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
