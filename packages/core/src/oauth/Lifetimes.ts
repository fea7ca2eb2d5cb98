/** Lifetimes of codes, tokens and clients. The specification fixes the first three. */
import { Duration } from "effect"

export const code = Duration.seconds(60)
export const accessToken = Duration.hours(12)
export const refreshToken = Duration.days(90)

/**
 * A refresh token works again for this time after its first use, because the response may have been lost, or two
 * requests sent at once. Only one of its successors may be used.
 */
export const grace = Duration.seconds(10)

/** Clients that no user has approved, and clients without a connection in use. */
export const unusedClient = Duration.hours(24)
export const idleClient = Duration.days(90)

/** Maximum number of clients that wait for their first approval. The oldest are deleted. */
export const maxUnusedClients = 1_000

/** Maximum number of valid access tokens of a connection. The oldest are deleted. */
export const maxAccessTokens = 20
