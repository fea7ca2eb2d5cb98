/** How the content of attachments is sent. Their names and types were chosen by whoever sent the event. */

const anyBytes = "application/octet-stream"

/** The types under which attachments are sent: no program runs anything of theirs by itself. */
export const attachmentTypes: ReadonlyArray<string> = [
  anyBytes,
  "application/gzip",
  "application/json",
  "application/zip",
  "image/gif",
  "image/jpeg",
  "image/png",
  "image/webp",
  "text/csv",
  "text/plain",
]

/** The `Content-Type` for one that an attachment came with: the same where it is harmless, else that of any bytes. */
export const attachmentType = (given: string): string => {
  const [type = "", ...parameters] = given
    .toLowerCase()
    .split(";")
    .map((part) => part.trim())
  if (!attachmentTypes.includes(type)) return anyBytes
  if (!type.startsWith("text/")) return type
  // Text in another encoding would be shown as what it is not.
  return parameters.every((parameter) => /^charset="?(?:utf-8|us-ascii)"?$/.test(parameter))
    ? `${type}; charset=utf-8`
    : anyBytes
}

/** A `Content-Disposition` (RFC 6266) under which a file is saved and never shown. The name must be a safe one. */
export const contentDisposition = (filename: string): string => {
  // Programs that do not know `filename*` take this one, and some of them decode percent signs in it.
  const plain = filename.replace(/[^\x20-\x7e]/gu, "_").replace(/["\\%]/g, "_")
  const exact = encodeURIComponent(filename).replace(/['()*]/g, percent)
  return `attachment; filename="${plain}"${plain === filename ? "" : `; filename*=UTF-8''${exact}`}`
}

// internal

/** RFC 8187 takes fewer characters as they are than `encodeURIComponent`. */
const percent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
