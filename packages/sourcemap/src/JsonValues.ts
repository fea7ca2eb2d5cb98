/** How much JSON would become in memory: 64 MiB of it can be twenty million empty lists, and more than a heap holds. */

/**
 * Whether a JSON text has at most so many values and keys. Only commas, brackets and colons outside of strings are
 * counted; whether it is JSON at all is for the parser to say.
 */
export const hasAtMostValues = (json: Uint8Array, limit: number): boolean => {
  // Each value has a byte and a separator.
  if (json.length <= 2 * limit) return true
  let values = 0
  for (let i = 0; i < json.length; i++) {
    const byte = json[i]!
    if (byte === quote) {
      for (i++; i < json.length && json[i] !== quote; i++) if (json[i] === backslash) i++
    } else if (byte === comma || byte === colon || byte === bracket || byte === brace) {
      if (++values > limit) return false
    }
  }
  return true
}

// internal

const quote = 34
const backslash = 92
const comma = 44
const colon = 58
const bracket = 91
const brace = 123
