/** FROZEN with `GroupingV2.ts`. Encodes the components of a key as text. */

/** Prefixes each string with its length in UTF-16 units, so that different lists have different texts. */
export const encode = (components: ReadonlyArray<string>): string => {
  let text = ""
  for (const component of components) text += `${component.length}:${component}`
  return text
}

/** Truncates a text for display without splitting a surrogate pair. */
export const shown = (text: string, length: number): string => {
  if (text.length <= length) return text
  const splitsPair = (text.charCodeAt(length) & 0xfc00) === 0xdc00
  return text.slice(0, splitsPair ? length - 1 : length)
}
