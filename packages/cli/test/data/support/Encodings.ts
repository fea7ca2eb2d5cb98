/** Every way in which clients compress what they send. */
import { spawnSync } from "node:child_process"
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from "node:zlib"

export interface Encoding {
  readonly name: string
  /** The value of `Content-Encoding`; null for none. */
  readonly header: string | null
  readonly encode: (body: Buffer) => Buffer
}

/** A frame that holds the bytes as they are: Node 20 has nothing that writes another one. */
const zstdOfRawBlocks = (body: Buffer): Buffer => {
  const header = Buffer.alloc(9)
  header.writeUInt32LE(0xfd2fb528, 0)
  // One segment, whose size follows in four bytes; no checksum, no dictionary.
  header.writeUInt8(0b1010_0000, 4)
  header.writeUInt32LE(body.length, 5)
  const parts: Array<Buffer> = [header]
  let start = 0
  do {
    const block = body.subarray(start, start + maxBlockBytes)
    start += block.length
    const blockHeader = Buffer.alloc(3)
    // Three bytes: whether it is the last, its type (raw is 0), its size.
    blockHeader.writeUIntLE((start >= body.length ? 1 : 0) + block.length * 8, 0, 3)
    parts.push(blockHeader, block)
  } while (start < body.length)
  return Buffer.concat(parts)
}

export const encodings: ReadonlyArray<Encoding> = [
  { name: "identity", header: null, encode: (body) => body },
  { name: "gzip", header: "gzip", encode: (body) => gzipSync(body) },
  { name: "deflate in zlib's wrapping", header: "deflate", encode: (body) => deflateSync(body) },
  { name: "raw deflate", header: "deflate", encode: (body) => deflateRawSync(body) },
  {
    name: "br",
    header: "br",
    encode: (body) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  },
  { name: "zstd", header: "zstd", encode: zstdOfRawBlocks },
]

/** Whether the machine can compress with zstd; what only the tests' machine has must not decide what they show. */
export const canCompressZstd = spawnSync("zstd", ["--version"]).status === 0

export const compressZstd = (body: Buffer): Buffer => {
  const { status, stdout } = spawnSync("zstd", ["-q", "-c"], { input: body, maxBuffer: 1 << 26 })
  return status === 0 ? stdout : Buffer.alloc(0)
}

// internal

const maxBlockBytes = 128 * 1024
