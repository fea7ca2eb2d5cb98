/**
 * A dictionary is text that resembles the payloads of a project. Segments are compressed with it, because the few payloads of a
 * segment repeat little. It consists of outlines, because discarded reports must not live on in it. See
 * docs/decisions/051-dictionaries.md.
 */
import { crc32 } from "node:zlib"
import type { Payload } from "@errata/core/ports"
import { outlineOf } from "./Outline.js"

export interface Dictionary {
  readonly id: number
  readonly content: Uint8Array
  /** Of the content: a database that was restored may use an id again. */
  readonly checksum: number
}

export const make = (id: number, content: Uint8Array): Dictionary => ({
  id,
  content,
  checksum: crc32(content) | 0,
})

/** Makes a dictionary from payloads, the most typical first. Returns null if they have too little text. */
export const contentOf = (payloads: ReadonlyArray<Payload>): Uint8Array | null => {
  const known = new Set<string>()
  const parts: Array<string> = []
  let length = 0
  let read = 0
  for (const payload of payloads) {
    if (length >= maxBytes || read >= maxReadBytes) break
    if (payload.body.byteLength > maxBodyBytes) continue
    read += payload.body.byteLength
    const part = piecesOf(payload)
      .filter((piece) => !known.has(piece) && known.add(piece))
      .join("")
    parts.push(part)
    length += part.length
  }
  // References to the end of a dictionary are the shortest.
  const content = Buffer.from(parts.reverse().join("")).subarray(-maxBytes)
  return content.length < minBytes ? null : content
}

// internal

/** Larger dictionaries save little and take longer to load for each segment. */
const maxBytes = 32 * 1024
const minBytes = 1024

/** Larger bodies have attachments, or repeat themselves, so that a dictionary saves little. */
const maxBodyBytes = 64 * 1024

/** Limits the time, because requests wait for it. */
const maxReadBytes = 256 * 1024

const decoder = new TextDecoder()

/** The outlines of a payload's documents, in pieces that other payloads may have too: frames and other objects. */
const piecesOf = ({ body, kind }: Payload): ReadonlyArray<string> => {
  const text = decoder.decode(body)
  return documentsOf(text, kind).flatMap((document) => textOf(document).split(/(?<=\},)(?=["{])/))
}

/** The event, and in an envelope the headers before it. Attachments are left out. */
const documentsOf = (text: string, kind: string): ReadonlyArray<string> => {
  if (kind !== "envelope") return [text]
  const start = text.search(/^\{[^\n]{0,200}"type":\s?"event"/m)
  if (start <= 0) return []
  const [header, event] = text.slice(start).split("\n", 2)
  return [text.slice(0, text.indexOf("\n")), header!, event ?? ""]
}

const textOf = (document: string): string => {
  try {
    return `${JSON.stringify(outlineOf(JSON.parse(document)))}\n`
  } catch {
    return ""
  }
}
