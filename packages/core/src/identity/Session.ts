import { type DateTime, Schema } from "effect"
import type { UserId } from "../user/User.js"

/** Identifies a session: a positive integer, larger for newer ones. */
export const SessionId = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)), Schema.brand("SessionId"))
export type SessionId = typeof SessionId.Type

/** How somebody proved who they are; `application` to the one that embeds Errata. */
export const SignInMethod = Schema.Literals(["password", "link", "application"])
export type SignInMethod = typeof SignInMethod.Type

/** A browser in which a user is signed in. */
export interface Session {
  readonly id: SessionId
  readonly userId: UserId
  readonly method: SignInMethod
  /** What the browser said of itself, at most 200 characters. */
  readonly userAgent: string
  readonly createdAt: DateTime.Utc
  /** To the minute. */
  readonly lastUsedAt: DateTime.Utc
}
