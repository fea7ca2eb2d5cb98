/** Limits of one response. Without imports, because the REST contract uses them. */

/** Maximum number of groups per response. */
export const maxGroups = 100

/** Maximum number of steps per response: a month of hours. */
export const maxSteps = 31 * 24
