/** Hand-made zstd frames: valid ones without compression, and frames that cost far more than their length. */

const magic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
const maxBlock = 128 * 1024

/** A frame that stores the bytes uncompressed. */
export const store = (bytes: Uint8Array): Buffer => {
  const parts: Array<Uint8Array> = [magic, Buffer.from([0, 0x58])]
  for (let at = 0; at === 0 || at < bytes.length; at += maxBlock) {
    const block = bytes.subarray(at, at + maxBlock)
    parts.push(blockHeader(0, block.length, at + maxBlock >= bytes.length), block)
  }
  return Buffer.concat(parts)
}

/** RLE blocks of four bytes, each of which expands to 128 KiB. */
export const bomb = (blocks: number): Buffer =>
  Buffer.concat([
    magic,
    Buffer.from([0, 0x58]),
    ...Array.from({ length: blocks }, (_, index) =>
      Buffer.concat([blockHeader(1, maxBlock, index === blocks - 1), Buffer.from([0])]),
    ),
  ])

/**
 * A compressed block whose sequences each copy a match of 128 KiB: 120 KB that expand to 8 GB, far above the limit of a
 * block. A decoder that does not check the limit works for seconds.
 */
export const mill = (sequences = 60_000): Buffer => {
  const count = Buffer.from([255, (sequences - 0x7f00) & 255, (sequences - 0x7f00) >> 8])
  // Literal lengths, offsets and match lengths are each one code for all sequences (RLE): 0, 0, and the longest.
  const codes = Buffer.from([0b01010100, 0, 0, 52])
  // 16 extra bits of each match length, all set, read from the end; the last byte has the bit that marks the end.
  const bits = Buffer.alloc(sequences * 2 + 1, 255)
  bits[bits.length - 1] = 1
  const literals = Buffer.from([1 << 3, 65])
  const block = Buffer.concat([literals, count, codes, bits])
  return Buffer.concat([magic, Buffer.from([0, 0x58]), blockHeader(2, block.length, true), block])
}

// internal

const blockHeader = (type: number, length: number, last: boolean): Buffer => {
  const header = Buffer.alloc(3)
  header.writeUIntLE((length << 3) | (type << 1) | (last ? 1 : 0), 0, 3)
  return header
}
