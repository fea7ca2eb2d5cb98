/** Parts of JavaScript and TypeScript that are skipped as a whole. Offsets are UTF-16 units; none goes back. */

/** Behind the word that begins here; `start` itself where none does. `#` belongs to private names. */
export const endOfWord = (text: string, start: number): number => {
  let i = start
  while (i < text.length && isWordCode(text.charCodeAt(i))) i++
  return i
}

/** Behind the string that begins with the quote here; -1 where it does not end on its line. */
export const endOfString = (text: string, start: number): number => {
  const quote = text.charCodeAt(start)
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === quote) return i + 1
    if (code === backslash) i++
    else if (code === newline) return -1
  }
  return -1
}

/** Behind the regular expression that begins here, with its flags; -1 where a `/` is a division after all. */
export const endOfRegExp = (text: string, start: number): number => {
  let inClass = false
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === newline) return -1
    if (code === backslash) {
      if (text.charCodeAt(++i) === newline) return -1
    } else if (code === 91) inClass = true
    else if (code === 93) inClass = false
    else if (code === 47 && !inClass) return endOfWord(text, i + 1)
  }
  return -1
}

/** Behind the comment that begins here; `start` itself where none does. */
export const endOfComment = (text: string, start: number): number => {
  const second = text.charCodeAt(start + 1)
  if (second === 47) {
    const end = text.indexOf("\n", start)
    return end === -1 ? text.length : end
  }
  if (second !== 42) return start
  const end = text.indexOf("*/", start + 2)
  return end === -1 ? text.length : end + 2
}

/** Where the text of a template stops that goes on here: at its backtick, or at the `$` of `${`; -1 where it does not. */
export const endOfTemplateText = (text: string, start: number): number => {
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 96 || (code === 36 && text.charCodeAt(i + 1) === 123)) return i
    if (code === backslash) i++
  }
  return -1
}

/** Letters of other scripts count as letters, and all else beyond ASCII with them: nothing here depends on it. */
export const isWordCode = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === 36 ||
  code === 95 ||
  code === 35 ||
  (code >= 0x80 && !isSpaceCode(code))

export const isSpaceCode = (code: number): boolean =>
  code <= 32 || code === 0xa0 || code === 0x2028 || code === 0x2029 || code === 0xfeff

// internal

const backslash = 92
const newline = 10
