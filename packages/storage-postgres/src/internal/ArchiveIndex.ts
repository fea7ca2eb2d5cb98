/**
 * The format of an archived object. It consists of pages of up to 1,024 segments in id order. A page is the
 * concatenated stored blocks, followed by a fixed-size record for each. The database stores where each page's records
 * start. Finding a segment takes two reads, and writing an object takes bounded memory.
 */
import { crc32 } from "node:zlib"

/** A segment as it is stored. */
export interface ArchivedSegment {
  readonly id: number
  /** Of a dictionary: its checksum, which may be negative. */
  readonly indexBytes: number
  readonly blockBytes: number
  /** A segment of the same object, or null. */
  readonly dictionaryId: number | null
  readonly body: Uint8Array
}

/** The position of a segment in its object. */
export interface ArchiveRecord extends Omit<ArchivedSegment, "body"> {
  readonly offset: number
  readonly length: number
  readonly checksum: number
}

export const pageRecords = 1024
export const recordBytes = 40

export const recordOf = ({ body, ...segment }: ArchivedSegment, offset: number): ArchiveRecord => ({
  ...segment,
  offset,
  length: body.byteLength,
  checksum: crc32(body),
})

export const encode = (records: ReadonlyArray<ArchiveRecord>): Uint8Array => {
  const bytes = Buffer.alloc(records.length * recordBytes)
  records.forEach(({ blockBytes, checksum, dictionaryId, id, indexBytes, length, offset }, i) => {
    const at = i * recordBytes
    bytes.writeBigUInt64BE(BigInt(id), at)
    bytes.writeBigUInt64BE(BigInt(offset), at + 8)
    bytes.writeUInt32BE(length, at + 16)
    bytes.writeInt32BE(indexBytes, at + 20)
    bytes.writeUInt32BE(blockBytes, at + 24)
    bytes.writeUInt32BE(checksum, at + 28)
    bytes.writeBigUInt64BE(BigInt(dictionaryId ?? 0), at + 32)
  })
  return bytes
}

export const decode = (bytes: Uint8Array): ReadonlyArray<ArchiveRecord> => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Array.from({ length: Math.floor(buffer.length / recordBytes) }, (_, i) => {
    const at = i * recordBytes
    return {
      id: Number(buffer.readBigUInt64BE(at)),
      offset: Number(buffer.readBigUInt64BE(at + 8)),
      length: buffer.readUInt32BE(at + 16),
      indexBytes: buffer.readInt32BE(at + 20),
      blockBytes: buffer.readUInt32BE(at + 24),
      checksum: buffer.readUInt32BE(at + 28),
      dictionaryId: Number(buffer.readBigUInt64BE(at + 32)) || null,
    }
  })
}

/** The segment of a record, or null if its bytes are damaged. */
export const segmentOf = (
  { blockBytes, checksum, dictionaryId, id, indexBytes, length }: ArchiveRecord,
  body: Uint8Array,
): ArchivedSegment | null =>
  body.byteLength === length && crc32(body) === checksum
    ? { id, indexBytes, blockBytes, dictionaryId, body }
    : null
