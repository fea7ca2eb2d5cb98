/** For how long what OAuth hands out holds. The first three are the specification's and fixed. */
import { Duration } from "effect"

export const code = Duration.seconds(60)
export const accessToken = Duration.hours(12)
export const refreshToken = Duration.days(90)

/**
 * A refresh token works again for so long after its first use: the answer may have been lost, or two requests were made
 * at once. Of the successors only one may be used.
 */
export const grace = Duration.seconds(10)

/** A client that nobody has approved, and one that nobody has been connected with since. */
export const unusedClient = Duration.hours(24)
export const idleClient = Duration.days(90)

/** Clients that wait for their first approval, whoever registered them: the oldest make room for new ones. */
export const maxUnusedClients = 1_000

/** Access tokens of one connection that hold at the same time: the oldest make room for new ones. */
export const maxAccessTokens = 20
