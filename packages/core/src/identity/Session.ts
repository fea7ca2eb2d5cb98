import { type DateTime, Schema } from "effect"
import type { UserId } from "../user/User.js"

/** Identifies a session: a positive integer, larger for newer ones. */
export const SessionId = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)), Schema.brand("SessionId"))
export type SessionId = typeof SessionId.Type

/** How the user signed in. `application` means through the application that embeds Errata. */
export const SignInMethod = Schema.Literals(["password", "link", "application"])
export type SignInMethod = typeof SignInMethod.Type

/** A browser in which a user is signed in. */
export interface Session {
  readonly id: SessionId
  readonly userId: UserId
  readonly method: SignInMethod
  /** The `User-Agent` header, at most 200 characters. */
  readonly userAgent: string
  readonly createdAt: DateTime.Utc
  /** Accurate to the minute. */
  readonly lastUsedAt: DateTime.Utc
}
