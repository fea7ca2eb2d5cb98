/**
 * JSON documents as they are stored: as they are where they are short, else a byte that no JSON begins with, the length
 * in four bytes, and an LZ4 block.
 */
import * as Lz4 from "./Lz4.js"

/** Bytes that a document takes at most. */
export const maxBytes = (json: Uint8Array): number => headBytes + Lz4.maxCompressedBytes(json.length)

/** Writes a document to `target` from `at` on, where there is room for `maxBytes`; answers where it ends. */
export const write = (json: Uint8Array, target: Uint8Array, at: number): number => {
  if (json.length >= minCompressed) {
    const end = Lz4.compress(json, target, at + headBytes)
    if (end - at < json.length) {
      target[at] = mark
      new DataView(target.buffer, target.byteOffset).setUint32(at + 1, json.length)
      return end
    }
  }
  target.set(json, at)
  return at + json.length
}

/** The JSON's text. Throws where it is no document that `write` has written. */
export const read = (document: Uint8Array): string => {
  const { buffer, byteLength, byteOffset } = document
  const json =
    document[0] === mark
      ? Lz4.decompress(
          document.subarray(headBytes),
          new DataView(buffer, byteOffset, byteLength).getUint32(1),
        )
      : document
  return new TextDecoder().decode(json)
}

// internal

const mark = 1
const headBytes = 5

/** Shorter ones gain little. */
const minCompressed = 256
