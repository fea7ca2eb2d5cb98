/** Users in the API. */
import { Role, type User } from "@errata/core/user"
import { type DateTime, Schema } from "effect"
import { flag, int, text, time, viewOf } from "./Fields.js"
import { described, named } from "./Json.js"
import { pageOf } from "./Page.js"
import { optional, Text } from "./Params.js"

const userExample = {
  id: 3,
  name: "Operator",
  email_address: "operator@example.com",
  role: "member",
  active: true,
  project_ids: [1],
  created_at: "2026-01-01T08:00:00.000Z",
  updated_at: "2026-01-01T08:00:00.000Z",
} as const

/** A user, as REST shows it. */
export const UserView = Schema.Struct({
  id: int("Id of the user"),
  name: text("Name of the user"),
  email_address: text("Email address, unique among active users"),
  role: described("Role: an `admin` may do everything, a `member` triages groups in its projects", Role),
  active: flag("True if the user can sign in and use the API"),
  project_ids: described(
    "Ids of the projects that the user can access. For admins, all projects",
    Schema.Array(Schema.Int),
  ),
  created_at: time("Time of creation"),
  updated_at: time("Time of the last change"),
}).pipe(named("User", userExample))
export type UserView = typeof UserView.Type

export const UsersPage = pageOf("users", UserView)

/** Changes of a user. */
export const UserUpdate = Schema.Struct({
  role: described(
    "New role. Admins have access to every project",
    Schema.Literals(["admin", "member"]).annotate({
      message: "must be admin or member",
    }),
  ),
}).pipe(named("UserUpdate", { role: "admin" }))
export type UserUpdate = typeof UserUpdate.Type

const linkFields = {
  sign_in_link: text("One-time sign-in link. No later response contains it"),
  sign_in_link_expires_at: time("Time at which the link expires, one day later"),
  mailed: flag("True if Errata sent the link to the user by mail"),
}

const linkExample = {
  sign_in_link: "https://errata.example.com/sign_in/link?token=errata-link_0123",
  sign_in_link_expires_at: "2026-01-02T08:00:00.000Z",
  mailed: true,
}

/** The input for a new user. */
export const UserCreation = Schema.Struct({
  email_address: described("Email address: at most 200 characters, unique among active users", Text),
  name: described("Name: at most 200 characters. Default: the email address", optional(Text)),
  role: described(
    "Role. Default: `member`",
    optional(
      Schema.Literals(["admin", "member"]).annotate({
        message: "must be admin or member",
      }),
    ),
  ),
}).pipe(named("UserCreation", { email_address: "operator@example.com", name: "Operator", role: "member" }))
export type UserCreation = typeof UserCreation.Type

/** A link that signs a user in once. */
export const SignInLinkView = Schema.Struct(linkFields).pipe(named("SignInLink", linkExample))
export type SignInLinkView = typeof SignInLinkView.Type

/** A new API key of a user. */
export const RotatedKeyView = Schema.Struct({
  api_key: text("The API key. No later response contains it"),
}).pipe(named("RotatedKey", { api_key: "errata_0123456789abcdef0123456789abcdef01234567" }))
export type RotatedKeyView = typeof RotatedKeyView.Type

/** A user who was just created. */
export const CreatedUserView = Schema.Struct({ ...UserView.fields, ...linkFields }).pipe(
  named("CreatedUser", { ...userExample, ...linkExample }),
)
export type CreatedUserView = typeof CreatedUserView.Type

export const userView: (user: User) => UserView = viewOf(UserView.fields)

/** `url` is the sign-in link. */
export const signInLinkView = (url: string, expiresAt: DateTime.Utc, mailed: boolean): SignInLinkView => ({
  sign_in_link: url,
  sign_in_link_expires_at: expiresAt,
  mailed,
})
