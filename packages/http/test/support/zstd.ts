/** A zstd frame (RFC 8878) of raw blocks: valid for every decoder, and this Node may have no encoder. */
export const zstd = (content: Uint8Array): Buffer => {
  const header = Buffer.alloc(9)
  header.writeUInt32LE(0xfd2fb528, 0)
  // A single segment whose size takes four bytes.
  header.writeUInt8(0b1010_0000, 4)
  header.writeUInt32LE(content.length, 5)
  const parts: Array<Uint8Array> = [header]
  const max = 64 * 1024
  for (let at = 0; at === 0 || at < content.length; at += max) {
    const block = content.subarray(at, at + max)
    const last = at + max >= content.length ? 1 : 0
    const head = Buffer.alloc(3)
    head.writeUIntLE((block.length << 3) | last, 0, 3)
    parts.push(head, block)
  }
  return Buffer.concat(parts)
}
