/** Names of options, for programs without types: a misspelt one would be ignored. */

/** Throws a `TypeError` for a name that is not an option of the function. */
export const checkNames = (given: object, known: ReadonlyArray<string>, of: string): void => {
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new TypeError(`Unknown option ${unknown} of ${of}. The options are ${known.join(", ")}`)
}
