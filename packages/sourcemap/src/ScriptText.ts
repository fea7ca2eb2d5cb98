/** Skips parts of JavaScript and TypeScript as a whole. Offsets are UTF-16 units and never decrease. */

/** Returns the end of the word that starts here, or `start` if there is none. Includes `#` of private names. */
export const endOfWord = (text: string, start: number): number => {
  let i = start
  while (i < text.length && isWordCode(text.charCodeAt(i))) i++
  return i
}

/** Returns the end of the string that starts here, or -1 if it is not closed on its line. */
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

/** Returns the end of the regular expression that starts here, with flags, or -1 if the `/` is a division. */
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

/** Returns the end of the comment that starts here, or `start` if there is none. */
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

/** Returns the end of a template's text: the backtick or the `$` of `${`, or -1 if there is none. */
export const endOfTemplateText = (text: string, start: number): number => {
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 96 || (code === 36 && text.charCodeAt(i + 1) === 123)) return i
    if (code === backslash) i++
  }
  return -1
}

/** Treats every character beyond ASCII as a letter, which is harmless here. */
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
