/** For how long what signs people in holds. */
import { Duration } from "effect"

/** A one-time link. */
export const link = Duration.hours(24)

/** A session that nobody uses, and one that is used all the time. */
export const sessionIdle = Duration.days(30)
export const sessionLongest = Duration.days(90)

/** A bearer token that a session was exchanged for. */
export const bearer = Duration.minutes(15)

/** Sessions of one user, and bearer tokens of one session, one for each tab: the oldest make room for new ones. */
export const maxSessions = 50
export const maxBearers = 100
