/**
 * Finds the frames of a zstd body (RFC 8878) by their headers alone: in linear time, and without allocating the sizes
 * that they declare. The decoder of Node 22.19 accepts a body that is cut off.
 */

import type { DecodeFailure } from "./inflate.js"

/** Returns the frames of a body. Refuses a body that is cut off, or that declares to be too large or too slow to decode. */
export const readFrames = (body: Buffer, maxBytes: number): ReadonlyArray<Buffer> | DecodeFailure => {
  const frames: Array<Buffer> = []
  let at = 0
  let blocks = 0
  while (at < body.length) {
    if (at + 8 > body.length) return "invalid"
    const magic = body.readUInt32LE(at)
    if ((magic & 0xfffffff0) >>> 0 === skippableMagic) {
      at += 8 + body.readUInt32LE(at + 4)
      if (at > body.length) return "invalid"
      continue
    }
    if (magic !== frameMagic || frames.length === maxFrames) return "invalid"
    const header = readHeader(body, at, maxBytes)
    if (typeof header === "string") return header
    const walked = walkBlocks(body, header.end, maxBlocks - blocks)
    if (typeof walked === "string") return walked
    const end = walked.end + header.checksumBytes
    if (end > body.length) return "invalid"
    frames.push(body.subarray(at, end))
    blocks += walked.blocks
    at = end
  }
  return frames.length === 0 ? "invalid" : frames
}

// internal

const frameMagic = 0xfd2fb528
const skippableMagic = 0x184d2a50
const maxFrames = 64
// Sixteen megabytes are 128 blocks. Clients that flush after every write make more, but not of a few bytes each.
const maxBlocks = 16 * 1024

interface Header {
  /** Offset of the first block. */
  readonly end: number
  readonly checksumBytes: number
}

const readHeader = (body: Buffer, start: number, maxBytes: number): Header | DecodeFailure => {
  const flags = body[start + 4]!
  const isSingleSegment = (flags & 32) !== 0
  // A dictionary is something that sender and receiver agree on beforehand.
  if ((flags & 3) !== 0) return "unsupported"
  const sizeBytes = flags >> 6 === 0 ? (isSingleSegment ? 1 : 0) : 1 << (flags >> 6)
  const at = start + (isSingleSegment ? 5 : 6)
  const end = at + sizeBytes
  if (end > body.length) return "invalid"
  // Two bytes count from 256.
  let contentBytes = sizeBytes === 2 ? 256 : 0
  for (let i = 0; i < sizeBytes; i++) contentBytes += body[at + i]! * 256 ** i
  if (contentBytes > maxBytes) return "too_large"
  return { end, checksumBytes: (flags & 4) === 0 ? 0 : 4 }
}

interface Walked {
  /** After the last block. */
  readonly end: number
  readonly blocks: number
}

const walkBlocks = (body: Buffer, start: number, most: number): Walked | DecodeFailure => {
  let at = start
  for (let blocks = 1; at + 3 <= body.length; blocks++) {
    if (blocks > most) return "too_large"
    const block = body.readUIntLE(at, 3)
    // A run of one byte has only that byte.
    at += 3 + (((block >> 1) & 3) === 1 ? 1 : block >> 3)
    if (at > body.length) return "invalid"
    if ((block & 1) === 1) return { end: at, blocks }
  }
  return "invalid"
}
