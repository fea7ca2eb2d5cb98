/** Reads the comments of a script: the address of its map, and its debug id. */
import { normalizeDebugId } from "@errata/core/ports"

export interface ScriptComments {
  /** The unchanged value of the last `sourceMappingURL` comment. */
  readonly sourceMappingUrl: string | null
  /** The value of the last `debugId` comment, in lower case with hyphens. */
  readonly debugId: string | null
}

/** Null for missing comments. Each takes one pass from the end of the script. */
export const commentsOf = (script: Uint8Array): ScriptComments => ({
  sourceMappingUrl: mapCommentOf(script),
  debugId: lastValue(script, "debugId=", normalizeDebugId),
})

/** Returns the value of the last `sourceMappingURL` comment. */
export const mapCommentOf = (script: Uint8Array): string | null =>
  lastValue(script, "sourceMappingURL=", (value) => (isUrl(value) ? value : null))

// internal

const maxUrl = 4096

/** Limits the number of candidates: checking two million would take a second. */
const maxTries = 1_000

// Code that writes such comments has them in strings, which end with a quote or contain placeholders.
const isUrl = (value: string): boolean =>
  value !== "" && !/["'`\\<>{}]/.test(value) && (value.length <= maxUrl || /^data:/i.test(value))

/** Returns the value of the last `//# name`, `//@ name` or `/*# name` comment that has one and ends its line. */
const lastValue = (
  script: Uint8Array,
  name: string,
  parse: (value: string) => string | null,
): string | null => {
  const bytes = Buffer.from(script.buffer, script.byteOffset, script.byteLength)
  // Searches each byte once: a comment that reaches the next one's name does not end its line.
  let limit = bytes.length
  let tries = 0
  for (let at = bytes.lastIndexOf(name); at >= 0; at = at === 0 ? -1 : bytes.lastIndexOf(name, at - 1)) {
    if (++tries > maxTries) return null
    const value = valueAt(bytes, at, at + name.length, limit)
    const parsed = value === null ? null : parse(value)
    if (parsed !== null) return parsed
    limit = at
  }
  return null
}

const valueAt = (bytes: Buffer, at: number, behindName: number, limit: number): string | null => {
  let before = at - 1
  while (before >= 0 && isBlank(bytes[before]!)) before--
  const isMark = bytes[before] === 0x23 || bytes[before] === 0x40
  const opening = bytes[before - 1]
  if (!isMark || bytes[before - 2] !== slash || (opening !== slash && opening !== star)) return null
  const isClosing = (i: number): boolean =>
    opening === star && bytes[i] === star && bytes[i + 1] === slash && i + 1 < limit
  const start = behindBlanks(bytes, behindName, limit)
  let end = start
  while (end < limit && bytes[end]! > 0x20 && !isClosing(end)) end++
  let rest = behindBlanks(bytes, end, limit)
  if (isClosing(rest)) rest = behindBlanks(bytes, rest + 2, limit)
  const endsLine = rest === bytes.length || (rest < limit && (bytes[rest] === 0x0a || bytes[rest] === 0x0d))
  return endsLine ? bytes.toString("utf8", start, end) : null
}

const slash = 0x2f
const star = 0x2a

const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x09

const behindBlanks = (bytes: Buffer, from: number, limit: number): number => {
  let i = from
  while (i < limit && isBlank(bytes[i]!)) i++
  return i
}
