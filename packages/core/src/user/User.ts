import { type DateTime, Schema } from "effect"

/** Identifies a user: a positive integer, larger for newer ones. */
export const UserId = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)), Schema.brand("UserId"))
export type UserId = typeof UserId.Type

/** Admins can access and do everything. Members work in their projects. */
export const Role = Schema.Literals(["admin", "member"])
export type Role = typeof Role.Type

/** A user of Errata. */
export interface User {
  readonly id: UserId
  readonly name: string
  readonly emailAddress: string
  readonly role: Role
  readonly active: boolean
  /**
   * The projects of the user's memberships, ascending. Admins have access to all others too: for display (as in
   * `Users.list`), an admin's are all projects.
   */
  readonly projectIds: ReadonlyArray<number>
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}
