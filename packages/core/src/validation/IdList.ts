/** Limits of id lists. Has no imports, because API contracts use it. */

/** Maximum number of ids per call. */
export const maxIds = 1_000

/** Returns the problem with the number of ids, or null. */
export const idListProblem = (ids: ReadonlyArray<unknown>): string | null =>
  ids.length > maxIds ? `must have at most ${maxIds} ids` : null
