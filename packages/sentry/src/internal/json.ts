/** Parses the JSON of clients: UTF-8, possibly with a byte order mark, and `NaN` from old Python clients. */
import { isAscii } from "node:buffer"

/** The text of bytes; malformed UTF-8 becomes U+FFFD. */
export const decodeText = (bytes: Buffer): string => {
  // Nearly all events are ASCII, and one byte a character is several times faster than UTF-8.
  if (isAscii(bytes)) return bytes.toString("latin1")
  const text = bytes.toString("utf8")
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

/** Parses JSON. Undefined if it is malformed. */
export const parseJson = (text: string): unknown => {
  const value = tryParse(text)
  if (value !== undefined || !(text.includes("NaN") || text.includes("Infinity"))) return value
  return tryParse(withoutNonFinite(text))
}

export type UnknownRecord = { readonly [key: string]: unknown }

export const isRecord = (value: unknown): value is UnknownRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value)

// internal

const tryParse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const nonFinite = /^-?(?:NaN|Infinity)/

// A loop and not one regex, which would be quadratic for a quote that is never closed.
const withoutNonFinite = (text: string): string => {
  let out = ""
  let kept = 0
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (inString) {
      if (code === 92) i++
      else if (code === 34) inString = false
    } else if (code === 34) inString = true
    else if (code === 78 || code === 73 || code === 45) {
      const match = nonFinite.exec(text.slice(i, i + 9))
      if (match !== null) {
        out += `${text.slice(kept, i)}null`
        kept = i + match[0].length
        i = kept - 1
      }
    }
  }
  return out + text.slice(kept)
}
