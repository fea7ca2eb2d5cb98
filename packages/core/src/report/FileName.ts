/** Names of files that strangers chose, made fit for the disks of those who save them. */

/** UTF-8 bytes: a file system takes 255, and people put something before and after. */
const maxBytes = 200

/**
 * A name that names a file in whatever folder it is saved to, and shows as what it is: without folders, control and
 * invisible characters, wildcards, and the names that Windows keeps for devices. `fallback` where nothing is left.
 */
export const safeFileName = (name: string, fallback: string): string => {
  const plain = shortened(name.replace(unfit, "_"))
    // What begins with a dot is hidden, and with a hyphen an option; Windows drops dots and spaces at the end.
    .replace(/^[\s.-]+|[\s.]+$/g, "")
  if (/^_*$/.test(plain)) return fallback
  return devices.test(plain) ? `_${plain}` : plain
}

// internal

// \p{C} are control, invisible, surrogate, private and unassigned characters; right-to-left marks among them.
const unfit = /[\p{C}\p{Zl}\p{Zp}/\\:*?"<>|]/gu

const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

/** Keeps the end, which tells the kind of file. */
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
