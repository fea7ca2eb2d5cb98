/** What a script says of its source map, in comments. */

export interface ScriptReferences {
  readonly sourceMappingUrl: string | null
  readonly debugId: string | null
}

/** The last comments that say it. One pass from the end, whatever the script is. */
export const referencesOf = (script: Uint8Array): ScriptReferences => {
  const bytes = Buffer.from(script.buffer, script.byteOffset, script.byteLength)
  const url = lastValue(bytes, "sourceMappingURL=", isUrl)
  return {
    sourceMappingUrl: url === null || /^data:/i.test(url) ? url : url.replace(/[?#].*$/s, "") || null,
    debugId: uuidOf(lastValue(bytes, "debugId=", (value) => uuidOf(value) !== null)),
  }
}

/** A UUID in lower case with hyphens; null of what is none. */
export const uuidOf = (text: string | null): string | null => {
  const hex = text?.replaceAll("-", "").toLowerCase() ?? ""
  return text !== null && text.length <= 36 && /^[0-9a-f]{32}$/.test(hex)
    ? hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
    : null
}

// internal

const maxUrl = 4096

// Code that writes such comments has them in strings, which end with a quote or have something to be replaced in them.
const isUrl = (value: string): boolean =>
  value !== "" && !/["'`\\<>{}]/.test(value) && (value.length <= maxUrl || /^data:/i.test(value))

/** The value behind the last `//# name`, `//@ name` or `/*# name` that has one. */
const lastValue = (bytes: Buffer, name: string, isValue: (text: string) => boolean): string | null => {
  // Nothing is searched twice: to the right of `limit`, a value would have to go on beyond a later comment.
  let limit = bytes.length
  for (let at = bytes.lastIndexOf(name); at >= 0; at = at === 0 ? -1 : bytes.lastIndexOf(name, at - 1)) {
    let before = at - 1
    while (before >= 0 && before > at - 8 && (bytes[before] === 0x20 || bytes[before] === 0x09)) before--
    const isMark = bytes[before] === 0x23 || bytes[before] === 0x40
    const opening = bytes[before - 1]
    if (!isMark || bytes[before - 2] !== 0x2f || (opening !== 0x2f && opening !== 0x2a)) continue
    const start = at + name.length
    let end = start
    while (end < limit && !isSpace(bytes[end]!) && !(opening === 0x2a && isClosing(bytes, end))) end++
    const value = bytes.toString("utf8", start, end)
    if (isValue(value)) return value
    limit = at
  }
  return null
}

const isSpace = (byte: number): boolean => byte <= 0x20

const isClosing = (bytes: Buffer, at: number): boolean => bytes[at] === 0x2a && bytes[at + 1] === 0x2f
