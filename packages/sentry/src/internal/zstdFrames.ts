/**
 * The frames of a zstd body (RFC 8878), read by their headers alone: linear, and without allocating what they declare.
 * What is learned bounds the decoder before it sees a byte: how much may come out, and how many blocks cost time.
 */

import type { DecodeFailure } from "./inflate.js"

export interface ZstdFrames {
  /** At most so many bytes come out. */
  readonly outputBytes: number
  /** The number of blocks, which each cost some time however little comes out of them. */
  readonly blocks: number
}

/** Looks over all frames of a body. Refuses one whose headers say that it is too large or too slow to decode. */
export const readFrames = (body: Buffer, maxBytes: number): ZstdFrames | DecodeFailure => {
  let at = 0
  let count = 0
  let outputBytes = 0
  let declaredBytes = 0
  let blocks = 0
  while (at < body.length) {
    if (at + 8 > body.length) return "invalid"
    const magic = body.readUInt32LE(at)
    if ((magic & 0xfffffff0) >>> 0 === skippableMagic) {
      at += 8 + body.readUInt32LE(at + 4)
      if (at > body.length) return "invalid"
      continue
    }
    if (++count > maxFrames) return "invalid"
    const header = readHeader(body, at, maxBytes)
    if (typeof header === "string") return header === "incomplete" ? "invalid" : header
    const walked = walkBlocks(body, header, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY)
    if (typeof walked === "string") return walked
    if (!walked.isComplete || walked.end + header.checksumBytes > body.length) return "invalid"
    if (header.contentBytes !== null && header.contentBytes > walked.outputBytes) return "invalid"
    at = walked.end + header.checksumBytes
    outputBytes += header.contentBytes ?? walked.outputBytes
    declaredBytes += header.contentBytes ?? 0
    blocks += walked.blocks
    if (blocks > maxBlocks || declaredBytes > maxBytes) return "too_large"
  }
  return count === 0 ? "invalid" : { outputBytes, blocks }
}

/** The part of a body that holds the first block of a frame whole. */
export const maxPrefixInput = 136 * 1024

export interface ZstdPrefix {
  /** A whole frame of the first blocks only. */
  readonly frame: Buffer
  readonly outputBytes: number
}

/**
 * Makes a whole frame of what has arrived of the first one: of as many blocks as give `maxBytes`. Null where not even
 * the first block is there.
 */
export const readPrefix = (part: Buffer, maxBytes: number): ZstdPrefix | DecodeFailure | null => {
  const body = part.subarray(0, maxPrefixInput)
  let start = 0
  while (start + 8 <= body.length) {
    const magic = body.readUInt32LE(start)
    if ((magic & 0xfffffff0) >>> 0 !== skippableMagic) break
    start += 8 + body.readUInt32LE(start + 4)
  }
  if (start + 5 > body.length) return null
  const header = readHeader(body, start, Number.POSITIVE_INFINITY)
  if (header === "incomplete") return null
  if (typeof header === "string") return header
  const walked = walkBlocks(body, header, maxBytes, maxPrefixBlocks)
  if (typeof walked === "string") return walked
  const { partial } = walked
  if (walked.blocks === 0 && partial === null) return null
  // Without a size and a checksum, which are those of the whole frame; a window of 128 KiB allows blocks of any size.
  const parts = [prefixHeader, body.subarray(header.end, walked.end)]
  let lastHeader = walked.lastBlock - header.end + prefixHeader.length
  if (partial !== null) {
    const block = Buffer.alloc(3)
    block.writeUIntLE(partial.length << 3, 0, 3)
    lastHeader = prefixHeader.length + walked.end - header.end
    parts.push(block, partial)
  }
  const frame = Buffer.concat(parts)
  frame[lastHeader]! |= 1
  return { frame, outputBytes: walked.outputBytes + (partial?.length ?? 0) }
}

// internal

const frameMagic = 0xfd2fb528
const skippableMagic = 0x184d2a50
const maxFrames = 64
const maxPrefixBlocks = 16
const maxBlockBytes = 128 * 1024
const minWindowLimit = 8 * 1024 * 1024
// Sixteen megabytes are 128 blocks; clients that flush after every write make more, but not of a few bytes each.
const maxBlocks = 16 * 1024

const prefixHeader = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38])

interface Header {
  /** Where the first block begins. */
  readonly end: number
  /** What comes out at most of one block. */
  readonly blockBytes: number
  /** Null where the frame does not say. */
  readonly contentBytes: number | null
  readonly checksumBytes: number
}

const readHeader = (body: Buffer, start: number, maxBytes: number): Header | DecodeFailure | "incomplete" => {
  if (body.readUInt32LE(start) !== frameMagic) return "invalid"
  const flags = body[start + 4]!
  const singleSegment = (flags & 32) !== 0
  if ((flags & 8) !== 0) return "invalid"
  // A dictionary is something that sender and receiver agree on beforehand.
  if ((flags & 3) !== 0) return "unsupported"
  const sizeBytes = flags >> 6 === 0 ? (singleSegment ? 1 : 0) : 1 << (flags >> 6)
  let at = start + 5
  if (at + (singleSegment ? 0 : 1) + sizeBytes > body.length) return "incomplete"
  let window = 0
  if (!singleSegment) {
    const descriptor = body[at++]!
    const base = 2 ** (10 + (descriptor >> 3))
    window = base + (base / 8) * (descriptor & 7)
    if (window > Math.max(maxBytes, minWindowLimit)) return "too_large"
  }
  let contentBytes: number | null = null
  if (sizeBytes > 0) {
    contentBytes = sizeBytes === 2 ? 256 : 0
    for (let i = 0; i < sizeBytes; i++) contentBytes += body[at + i]! * 256 ** i
    if (contentBytes > maxBytes) return "too_large"
    if (singleSegment) window = contentBytes
  }
  return {
    end: at + sizeBytes,
    blockBytes: Math.min(window, maxBlockBytes),
    contentBytes,
    checksumBytes: (flags & 4) === 0 ? 0 : 4,
  }
}

interface Walked {
  /** After the last whole block. */
  readonly end: number
  /** Where the last whole block begins. */
  readonly lastBlock: number
  readonly blocks: number
  readonly outputBytes: number
  readonly isComplete: boolean
  /** What has arrived of a block that is not compressed. */
  readonly partial: Buffer | null
}

/** Goes from block to block until the frame ends, the bytes do, or there is enough. */
const walkBlocks = (
  body: Buffer,
  header: Header,
  enoughBytes: number,
  enoughBlocks: number,
): Walked | DecodeFailure => {
  let at = header.end
  let lastBlock = at
  let blocks = 0
  let outputBytes = 0
  while (outputBytes < enoughBytes && blocks < enoughBlocks && at + 3 <= body.length) {
    const block = body.readUIntLE(at, 3)
    const type = (block >> 1) & 3
    const length = block >> 3
    if (type === 3 || length > header.blockBytes) return "invalid"
    const end = at + 3 + (type === 1 ? 1 : length)
    if (end > body.length) {
      const partial = type === 0 ? body.subarray(at + 3) : null
      return { end: at, lastBlock, blocks, outputBytes, isComplete: false, partial }
    }
    lastBlock = at
    blocks++
    outputBytes += type === 2 ? header.blockBytes : length
    at = end
    if ((block & 1) === 1) return { end: at, lastBlock, blocks, outputBytes, isComplete: true, partial: null }
  }
  return { end: at, lastBlock, blocks, outputBytes, isComplete: false, partial: null }
}
