/** Who calls, and what they may do. */
export const me = {
  /** The caller, the instance, and the names of the rules that the caller passes. */
  get: () => ({}),
}
