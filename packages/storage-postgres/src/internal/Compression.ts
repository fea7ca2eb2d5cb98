/**
 * Compresses stored bytes with zstd. Many builds of PostgreSQL lack a fast method, and compressed bytes are sent,
 * written and logged faster. Decision 014 has the figures.
 */
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib"

/** Returns the bytes unchanged if compression would save less than a tenth. `decompress` needs the same dictionary. */
export const compress = (bytes: Uint8Array, dictionary: Uint8Array | null = null): Uint8Array => {
  // Larger inputs would block requests for too long.
  if (bytes.length > maxBytes) return bytes
  const compressed = zstdCompressSync(bytes, optionsOf(dictionary))
  return compressed.length < bytes.length * 0.9 ? compressed : bytes
}

/** Restores bytes from `compress`; `length` is the original length. Throws a RangeError if it differs. */
export const decompress = (
  stored: Uint8Array,
  length: number,
  dictionary: Uint8Array | null = null,
): Uint8Array => {
  if (stored.length === length) return stored
  const content = contentOf(stored, length, dictionary)
  if (content.length !== length)
    throw new RangeError(`The content has ${content.length} bytes instead of ${length}`)
  return content
}

/** Returns null if stored bytes are damaged. */
export const unlessDamaged = <A>(read: () => A): A | null => {
  try {
    return read()
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

// internal

const maxBytes = 4 * 1024 * 1024

/** Without checksums, damaged bytes can become other text. */
const checked = { [constants.ZSTD_c_checksumFlag]: 1 }

/** Dictionaries load in half the time at level 1, which compresses nearly as well with them. */
const checkedFast = { ...checked, [constants.ZSTD_c_compressionLevel]: 1 }

const optionsOf = (dictionary: Uint8Array | null) =>
  dictionary === null ? { params: checked } : { dictionary, params: checkedFast }

const contentOf = (stored: Uint8Array, length: number, dictionary: Uint8Array | null): Uint8Array => {
  try {
    return zstdDecompressSync(stored, {
      ...(dictionary === null ? {} : { dictionary }),
      maxOutputLength: Math.max(1, length),
    })
  } catch (cause) {
    throw new RangeError("The content is not compressed with zstd", { cause })
  }
}
