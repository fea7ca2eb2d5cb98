/** Makes file names from untrusted senders safe to save. */

/** UTF-8 bytes. File systems allow 255, and users add prefixes and suffixes. */
const maxBytes = 200

/**
 * Returns a name that is a plain file in any folder and looks like what it is. It has no folders, control or
 * invisible characters or wildcards, and is no Windows device name. Returns `fallback` if nothing remains.
 */
export const safeFileName = (name: string, fallback: string): string => {
  const plain = shortened(name.replace(unfit, "_"))
    // A leading dot hides a file; a leading hyphen makes an option. Windows drops dots and spaces at the end.
    .replace(/^[\s.-]+|[\s.]+$/g, "")
  if (/^_*$/.test(plain)) return fallback
  return devices.test(plain) ? `_${plain}` : plain
}

// internal

// \p{C} matches control, invisible, surrogate, private and unassigned characters, including bidirectional marks.
const unfit = /[\p{C}\p{Zl}\p{Zp}/\\:*?"<>|]/gu

const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

/** Keeps the file extension. */
const shortened = (name: string): string => {
  if (bytesOf(name) <= maxBytes) return name
  const end = /\.[A-Za-z0-9]{1,16}$/.exec(name)?.[0] ?? ""
  let kept = ""
  let bytes = end.length
  for (const character of name) {
    bytes += bytesOf(character)
    if (bytes > maxBytes) break
    kept += character
  }
  return kept + end
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length
