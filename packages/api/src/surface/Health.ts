/** Which checks of the instance hold; for admins only. */
export const health = {
  /** The results of the checks, at most ten seconds old, with a code for each failure. */
  details: () => ({}),
}
