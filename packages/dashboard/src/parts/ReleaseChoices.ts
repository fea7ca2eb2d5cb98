/** The releases that a menu offers. */

/** How many are offered at once. */
const most = 8

/**
 * Returns versions that have the text, newest first as given. A text that is none of them comes first: a fix may be in a
 * release that is still to come.
 */
export const releaseChoices = (versions: ReadonlyArray<string>, wanted: string): ReadonlyArray<string> => {
  const text = wanted.trim()
  const found = versions.filter((version) => version.toLowerCase().includes(text.toLowerCase()))
  if (text === "") return found.slice(0, most)
  return [text, ...found.filter((version) => version !== text)].slice(0, most)
}
