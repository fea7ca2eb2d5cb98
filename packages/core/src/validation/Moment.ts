/** Which moments there are. Without imports: a browser reads the dates of searches with it. */

/** The years that ISO 8601 writes with four digits, in epoch milliseconds; what lies beyond not every storage keeps. */
export const firstMoment = Date.parse("0000-01-01T00:00:00.000Z")
export const lastMoment = Date.parse("9999-12-31T23:59:59.999Z")

/** Whether a number of epoch milliseconds is a moment that can be stored and written. */
export const isMoment = (millis: number): boolean => millis >= firstMoment && millis <= lastMoment

/** What is wrong with a moment until which something is to hold; null where nothing is. Epoch milliseconds. */
export const deadlineProblem = (until: number, now: number): string | null => {
  if (!(until > now)) return "must be in the future"
  return isMoment(until) ? null : "must be before the year 10000"
}
