/** FROZEN with `GroupingV2.ts`. How the components of a key become one text. */

/** Each string after its length in UTF-16 units: no two lists of strings give the same text. */
export const encode = (components: ReadonlyArray<string>): string => {
  let text = ""
  for (const component of components) text += `${component.length}:${component}`
  return text
}

/** The start of a text that is only shown, without half of a surrogate pair at its end. */
export const shown = (text: string, length: number): string => {
  if (text.length <= length) return text
  const splitsPair = (text.charCodeAt(length) & 0xfc00) === 0xdc00
  return text.slice(0, splitsPair ? length - 1 : length)
}
