/**
 * LZ4 blocks (https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md). Bytes are compressed here and not by the
 * database: many builds lack its fast method, and its other one takes more time than everything else about a report.
 * Compressed bytes are also sent, received and logged in a fraction of the time.
 *
 * Node's zstd stores 15 % fewer bytes per report. It also costs 14 % more processor time of the server (decision 014).
 * Plain loops, four bytes at a time where possible: this runs over everything that is accepted.
 */

/** Bytes that a compressed block takes at most. */
export const maxCompressedBytes = (bytes: number): number => bytes + Math.ceil(bytes / 255) + 16

/** Writes the block to `target` from `at` on, where there is room for `maxCompressedBytes`; answers where it ends. */
export const compress = (source: Uint8Array, target: Uint8Array, at: number): number => {
  const end = source.length
  const from = new DataView(source.buffer, source.byteOffset, end)
  const to = new DataView(target.buffer, target.byteOffset, target.length)
  if (origin + end > maxOrigin) {
    places.fill(0)
    origin = 1
  }
  // Places of former blocks lie below the origin, so that the table need not be cleared for each.
  const start = origin
  origin += end
  // The last five bytes of a block are literals, and its last match begins twelve before the end.
  const lastMatch = end - 12
  const matchEnd = end - 5
  let out = at
  let literals = 0
  let i = 0
  while (i <= lastMatch) {
    const word = from.getInt32(i, true)
    const slot = Math.imul(word, 0x9e3779b1) >>> hashShift
    const found = places[slot]! - start
    places[slot] = i + start
    if (found < 0 || i - found > maxOffset || word !== from.getInt32(found, true)) {
      // Ever larger steps through what does not repeat.
      i += 1 + ((i - literals) >> 6)
      continue
    }
    let matched = i + 4
    let known = found + 4
    while (matched + 4 <= matchEnd && from.getInt32(matched, true) === from.getInt32(known, true)) {
      matched += 4
      known += 4
    }
    while (matched < matchEnd && source[matched] === source[known]) {
      matched++
      known++
    }
    const token = out++
    const run = i - literals
    if (run < 15) target[token] = run << 4
    else {
      target[token] = 0xf0
      out = writeLength(target, out, run - 15)
    }
    // Up to three bytes too many, in place of which the next ones are written.
    for (let copied = 0; copied < run; copied += 4) {
      to.setInt32(out + copied, from.getInt32(literals + copied, true), true)
    }
    out += run
    target[out++] = i - found
    target[out++] = (i - found) >> 8
    const length = matched - i - 4
    if (length < 15) target[token]! |= length
    else {
      target[token]! |= 15
      out = writeLength(target, out, length - 15)
    }
    i = literals = matched
  }
  const run = end - literals
  if (run < 15) target[out++] = run << 4
  else {
    target[out++] = 0xf0
    out = writeLength(target, out, run - 15)
  }
  target.set(source.subarray(literals), out)
  return out + run
}

/** The block's content, of which the length is known. Throws a RangeError where the block is none of that length. */
export const decompress = (block: Uint8Array, bytes: number): Uint8Array => {
  const content = new Uint8Array(bytes)
  let i = 0
  let out = 0
  const readLength = (nibble: number): number => {
    let length = nibble
    if (nibble === 15) {
      let more: number
      do {
        more = block[i++] ?? invalid()
        length += more
      } while (more === 255)
    }
    return length
  }
  while (i < block.length) {
    const token = block[i++]!
    const run = readLength(token >> 4)
    if (i + run > block.length || out + run > bytes) invalid()
    content.set(block.subarray(i, i + run), out)
    i += run
    out += run
    if (i === block.length) break
    const offset = (block[i] ?? invalid()) | ((block[i + 1] ?? invalid()) << 8)
    i += 2
    const length = readLength(token & 15) + 4
    if (offset === 0 || offset > out || out + length > bytes) invalid()
    // Byte by byte: a match may reach into what it makes itself.
    for (const stop = out + length; out < stop; out++) content[out] = content[out - offset]!
  }
  return out === bytes ? content : invalid()
}

// internal

const hashBits = 12
const hashShift = 32 - hashBits
const maxOffset = 0xffff
const maxOrigin = 2 ** 30

/** Where a word was seen last, by its hash, counted from the first block on. */
const places = new Int32Array(2 ** hashBits)
let origin = 1

const writeLength = (target: Uint8Array, at: number, length: number): number => {
  let rest = length
  let out = at
  for (; rest >= 255; rest -= 255) target[out++] = 255
  target[out++] = rest
  return out
}

const invalid = (): never => {
  throw new RangeError("Not an LZ4 block of this length")
}
