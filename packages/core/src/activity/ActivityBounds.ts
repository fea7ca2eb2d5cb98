/** Limits of one response. Without imports, because the REST contract uses them. */

/** Groups of one answer. */
export const maxGroups = 100

/** Steps of one answer: a month of hours. */
export const maxSteps = 31 * 24
