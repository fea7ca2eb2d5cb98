/** The releases that a menu offers. */

/** Maximum number of choices. */
const most = 8

/** The versions that contain the text, newest first. An unknown version comes first: it may be a future release. */
export const releaseChoices = (versions: ReadonlyArray<string>, wanted: string): ReadonlyArray<string> => {
  const text = wanted.trim()
  const found = versions.filter((version) => version.toLowerCase().includes(text.toLowerCase()))
  if (text === "") return found.slice(0, most)
  return [text, ...found.filter((version) => version !== text)].slice(0, most)
}
