/** The version of this package, as built into it. */
export const version = "0.1.0"
