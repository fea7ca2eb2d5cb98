/**
 * The first blocks of a zstd frame as a frame of their own. A block refers to nothing but those before it, so that they
 * decode without the rest; and the new header asks for a small window whatever the old one says.
 */

/** Null where not even one block is there. `count` is how many there are, of those asked for. */
export const firstBlocks = (
  input: Buffer,
  count: number,
): { readonly frame: Buffer; readonly count: number } | null | "invalid" => {
  const start = skipToFrame(input)
  if (typeof start === "string" || start === null) return start
  if (start + 6 > input.length) return null
  const flags = input[start + 4]!
  // A dictionary, or a bit that means nothing yet.
  if ((flags & 11) !== 0) return "invalid"
  const isSingleSegment = (flags & 32) !== 0
  const sizeBytes = flags >> 6 === 0 ? (isSingleSegment ? 1 : 0) : 1 << (flags >> 6)
  const first = start + 5 + (isSingleSegment ? 0 : 1) + sizeBytes
  let at = first
  let last = -1
  let found = 0
  while (found < count && at + 3 <= input.length) {
    const header = input.readUIntLE(at, 3)
    const type = (header >> 1) & 3
    const length = header >> 3
    if (type === 3 || length > maxBlockBytes) return "invalid"
    const end = at + 3 + (type === 1 ? 1 : length)
    if (end > input.length) break
    last = at
    found++
    at = end
    if ((header & 1) === 1) break
  }
  if (found === 0) return null
  const blocks = Buffer.from(input.subarray(first, at))
  blocks[last - first]! |= 1
  return { frame: Buffer.concat([frameHeader, blocks]), count: found }
}

// internal

const frameMagic = 0xfd2fb528
const skippableMagic = 0x184d2a50
const maxBlockBytes = 128 * 1024

// No checksum, no size, a window of 2 MiB: what sixteen blocks can come to.
const frameHeader = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58])

const skipToFrame = (input: Buffer): number | null | "invalid" => {
  let at = 0
  for (;;) {
    if (at + 8 > input.length) return null
    const magic = input.readUInt32LE(at)
    if (magic === frameMagic) return at
    if ((magic & 0xfffffff0) >>> 0 !== skippableMagic) return "invalid"
    at += 8 + input.readUInt32LE(at + 4)
  }
}
