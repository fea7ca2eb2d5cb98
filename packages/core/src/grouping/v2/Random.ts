/** FROZEN with `GroupingV2.ts`. Distinguishes generated strings from names. */

/** True for texts that look random: digits and letters alternate more often than in words and identifiers. */
export const isRandom = (text: string): boolean => text.length >= 16 && changes(text) >= 4

// internal

/** Counts adjacent pairs of a digit and a letter. */
const changes = (text: string): number => {
  let count = 0
  let last = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    const isDigit = code >= 48 && code <= 57
    const isLetter = (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
    const kind = isDigit ? 1 : isLetter ? 2 : 0
    if (kind !== 0 && last !== 0 && kind !== last) count++
    last = kind
  }
  return count
}
