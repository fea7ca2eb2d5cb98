/** Lifetimes and limits of credentials. */
import { Duration } from "effect"

/** A one-time link. */
export const link = Duration.hours(24)

/** A session expires when it is idle for the first, and always after the second. */
export const sessionIdle = Duration.days(30)
export const sessionLongest = Duration.days(90)

/** A bearer token that was issued for a session. */
export const bearer = Duration.minutes(15)

/** Maximum sessions of a user, and bearer tokens of a session (one per tab). The oldest are deleted. */
export const maxSessions = 50
export const maxBearers = 100
