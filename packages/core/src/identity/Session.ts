import { Schema } from "effect"
import { UserId } from "../user/User.js"

export const SessionId = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)), Schema.brand("SessionId"))
export type SessionId = typeof SessionId.Type

/** How somebody proved who they are; `application` to the one that embeds Errata. */
export const SignInMethod = Schema.Literals(["password", "link", "application"])
export type SignInMethod = typeof SignInMethod.Type

/** A browser in which a user is signed in. */
export class Session extends Schema.Class<Session>("Session")({
  id: SessionId,
  userId: UserId,
  method: SignInMethod,
  /** What the browser said of itself, at most 200 characters. */
  userAgent: Schema.String,
  createdAt: Schema.DateTimeUtcFromString,
  /** To the minute. */
  lastUsedAt: Schema.DateTimeUtcFromString,
}) {}
