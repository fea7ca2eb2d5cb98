/** Bounds the memory that parsing JSON takes: 64 MiB can hold twenty million empty arrays, more than the heap. */

/**
 * Returns true if a JSON text has at most this number of values and keys. It counts only commas, brackets and colons outside
 * of strings, and does not validate the JSON.
 */
export const hasAtMostValues = (json: Uint8Array, limit: number): boolean => {
  // Each value takes at least two bytes, itself and a separator.
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
