/** All content encodings that clients use. */
import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from "node:zlib"

export interface Encoding {
  readonly name: string
  /** The value of `Content-Encoding`, or null. */
  readonly header: string | null
  readonly encode: (body: Buffer) => Buffer
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
  { name: "zstd", header: "zstd", encode: (body) => zstdCompressSync(body) },
]
