import { type DateTime, Schema } from "effect"

/** Identifies a user: a positive integer, larger for newer ones. */
export const UserId = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)), Schema.brand("UserId"))
export type UserId = typeof UserId.Type

/** Admins see every project and may do everything; members work in the projects they belong to. */
export const Role = Schema.Literals(["admin", "member"])
export type Role = typeof Role.Type

/** A person who works with Errata. */
export interface User {
  readonly id: UserId
  readonly name: string
  readonly emailAddress: string
  readonly role: Role
  readonly active: boolean
  /**
   * The projects of the user's memberships, ascending. Admins have access to all others too: where people are shown
   * (`Users.list` and its like), an admin's are all projects.
   */
  readonly projectIds: ReadonlyArray<number>
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}
