/** The caller, the instance, and the access rules that the caller passes. */
export const me = {
  /** The caller, the instance, and the names of the rules that the caller passes. */
  get: () => ({}),
}
