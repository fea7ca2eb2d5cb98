/** Undoes the coding of a chunk, up to a bound: a few bytes can become a great many. */
import { promisify } from "node:util"
import { brotliDecompress, gunzip } from "node:zlib"
import { Effect } from "effect"
import { BadParts } from "./Parts.js"

/** The content of a part that is called `file`, `file_gzip` or `file_brotli`. */
export const inflate = (
  name: string,
  content: Uint8Array,
  maxBytes: number,
): Effect.Effect<Uint8Array, BadParts> => {
  switch (name) {
    case "file":
      return Effect.succeed(content)
    case "file_gzip":
      return inflateWith(promisify(gunzip), content, maxBytes)
    case "file_brotli":
      return inflateWith(promisify(brotliDecompress), content, maxBytes)
    default:
      return new BadParts({ reason: "Parts must be named file, file_gzip or file_brotli" })
  }
}

// internal

const inflateWith = (
  decompress: (content: Uint8Array, options: { readonly maxOutputLength: number }) => Promise<Buffer>,
  content: Uint8Array,
  maxBytes: number,
): Effect.Effect<Uint8Array, BadParts> =>
  Effect.tryPromise({
    try: () => decompress(content, { maxOutputLength: maxBytes }),
    catch: (error) =>
      new BadParts({
        reason:
          error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE"
            ? `A chunk is larger than ${maxBytes} bytes`
            : "A chunk is not compressed as the name of its part says",
      }),
  })
