/** Response headers for attachments. The sender of the event chose their names and types, so neither is trusted. */

const anyBytes = "application/octet-stream"

/** The types under which attachments are served. No client runs code in a response of these types. */
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

/** The `Content-Type` to serve for an attachment's own type: the same if harmless, else `application/octet-stream`. */
export const attachmentType = (given: string): string => {
  const [type = "", ...parameters] = given
    .toLowerCase()
    .split(";")
    .map((part) => part.trim())
  if (!attachmentTypes.includes(type)) return anyBytes
  if (!type.startsWith("text/")) return type
  // Text in another encoding would be displayed wrongly.
  return parameters.every((parameter) => /^charset="?(?:utf-8|us-ascii)"?$/.test(parameter))
    ? `${type}; charset=utf-8`
    : anyBytes
}

/** A `Content-Disposition` (RFC 6266) with which clients save the file and never display it. The name must be safe. */
export const contentDisposition = (filename: string): string => {
  // Clients without support for `filename*` use this name. Some of them decode percent signs in it.
  const plain = filename.replace(/[^\x20-\x7e]/gu, "_").replace(/["\\%]/g, "_")
  const exact = encodeURIComponent(filename).replace(/['()*]/g, percent)
  return `attachment; filename="${plain}"${plain === filename ? "" : `; filename*=UTF-8''${exact}`}`
}

// internal

/** RFC 8187 allows fewer unescaped characters than `encodeURIComponent` leaves. */
const percent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
