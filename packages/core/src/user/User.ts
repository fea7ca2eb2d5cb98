import { Schema } from "effect"

export const UserId = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)), Schema.brand("UserId"))
export type UserId = typeof UserId.Type

/** Admins see every project and may do everything; members work in the projects they belong to. */
export const Role = Schema.Literals(["admin", "member"])
export type Role = typeof Role.Type

export class User extends Schema.Class<User>("User")({
  id: UserId,
  name: Schema.String,
  emailAddress: Schema.String,
  role: Role,
  active: Schema.Boolean,
  /**
   * The projects of the user's memberships, ascending. Admins have access to all others too: where people are shown
   * (`Users.list` and its like), an admin's are all projects.
   */
  projectIds: Schema.Array(Schema.Int),
  createdAt: Schema.DateTimeUtcFromString,
  updatedAt: Schema.DateTimeUtcFromString,
}) {}
