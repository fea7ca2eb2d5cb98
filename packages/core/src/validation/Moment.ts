/** The valid range of times. Has no imports, because browsers parse search dates with it. */

/** Years with four digits in ISO 8601, in epoch milliseconds. Some storages reject other years. */
export const firstMoment = Date.parse("0000-01-01T00:00:00.000Z")
export const lastMoment = Date.parse("9999-12-31T23:59:59.999Z")

/** Returns true if epoch milliseconds are within the valid range. */
export const isMoment = (millis: number): boolean => millis >= firstMoment && millis <= lastMoment

/** Returns the problem with a deadline in epoch milliseconds, or null. */
export const deadlineProblem = (until: number, now: number): string | null => {
  if (!(until > now)) return "must be in the future"
  return isMoment(until) ? null : "must be before the year 10000"
}
