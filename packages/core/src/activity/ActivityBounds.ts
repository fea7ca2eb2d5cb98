/** How much one answer tells. Without imports: a contract tells of the bounds. */

/** Groups of one answer. */
export const maxGroups = 100

/** Steps of one answer: a month of hours. */
export const maxSteps = 31 * 24
