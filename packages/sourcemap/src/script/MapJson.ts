/** Removes the guards that servers send before the JSON of a map. */

/**
 * Returns the JSON of a map without a byte order mark and without a first line that guards against execution (`)]}'`).
 * Null if the bytes are not a JSON object, such as the page that single-page applications return for every URL.
 */
export const jsonOf = (body: Uint8Array): Uint8Array | null => {
  let start = startsWith(body, 0, byteOrderMark) ? byteOrderMark.length : 0
  if (startsWith(body, start, guard)) {
    const end = body.indexOf(newLine, start)
    if (end === -1) return null
    start = end + 1
  }
  while (start < body.length && whitespace.has(body[start]!)) start++
  return body[start] === brace ? body.subarray(start) : null
}

// internal

const byteOrderMark = [0xef, 0xbb, 0xbf]
// Some servers omit its quote.
const guard = Array.from(")]}", (character) => character.charCodeAt(0))
const newLine = 0x0a
const brace = 0x7b
const whitespace: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])

const startsWith = (bytes: Uint8Array, at: number, prefix: ReadonlyArray<number>): boolean =>
  prefix.every((byte, i) => bytes[at + i] === byte)
