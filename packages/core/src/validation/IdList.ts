/** Lists of ids that people give. Without imports: a contract tells of the bounds. */

/** Ids that one call takes. */
export const maxIds = 1_000

/** What is wrong with the number of ids in a list; null where nothing is. */
export const idListProblem = (ids: ReadonlyArray<unknown>): string | null =>
  ids.length > maxIds ? `must have at most ${maxIds} ids` : null
