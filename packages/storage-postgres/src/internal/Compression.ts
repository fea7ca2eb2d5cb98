/**
 * Bytes as the database has them, compressed here with zstd. Many builds of PostgreSQL have no fast method, and compressed bytes are
 * sent, written and logged in less time. Decision 014 has the figures.
 */
import { zstdCompressSync, zstdDecompressSync } from "node:zlib"

/** Returns the same bytes where compression would save less than a tenth. */
export const compress = (bytes: Uint8Array): Uint8Array => {
  // Requests do not wait for more.
  if (bytes.length > maxBytes) return bytes
  // Without a size, Node allocates more for each call than most results have, which takes four times as long.
  const compressed = zstdCompressSync(bytes, { chunkSize: Math.max(minChunk, bytes.length >> 1) })
  return compressed.length < bytes.length * 0.9 ? compressed : bytes
}

/** Bytes that `compress` returned; `length` is that of the original bytes. Throws a RangeError if the content has another length. */
export const decompress = (stored: Uint8Array, length: number): Uint8Array => {
  if (stored.length === length) return stored
  const content = contentOf(stored, length)
  if (content.length !== length)
    throw new RangeError(`The content has ${content.length} bytes instead of ${length}`)
  return content
}

// internal

const maxBytes = 4 * 1024 * 1024
const minChunk = 64

const contentOf = (stored: Uint8Array, length: number): Uint8Array => {
  try {
    return zstdDecompressSync(stored, {
      chunkSize: Math.max(minChunk, length),
      maxOutputLength: Math.max(1, length),
    })
  } catch (cause) {
    throw new RangeError("The content is not compressed with zstd", { cause })
  }
}
