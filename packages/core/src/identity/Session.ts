/**
 * Sessions of users in browsers. A session is valid for 30 days after its last use, and for at most 90 days. Its user
 * must be active. It also ends when the user signs out, sets a password in another session, or starts 50 newer ones.
 * Sessions that an embedding application starts last as long as one bearer token.
 */
import { type DateTime, Duration, Schema } from "effect"
import type { UserId } from "../user/User.js"

/** A session expires when it is idle for this time. */
export const idleLifetime = Duration.days(30)
/** A session expires after this time, even in use. */
export const longestLifetime = Duration.days(90)
/** Lifetime of a bearer token of a session. It also expires with the session. */
export const bearerLifetime = Duration.minutes(15)

/** Maximum number of sessions of a user. The oldest are deleted. */
export const maxSessions = 50
/** Maximum number of bearer tokens of a session, one for each tab. The oldest are deleted. */
export const maxBearers = 100

/** When a session expires, in epoch milliseconds. */
export interface SessionExpiry {
  readonly idleUntil: number
  readonly endsAt: number
}

/** Returns whether a session has not expired. SQL storages have the same condition in their statements. */
export const isValid = ({ endsAt, idleUntil }: SessionExpiry, now: number): boolean =>
  now < idleUntil && now < endsAt

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
