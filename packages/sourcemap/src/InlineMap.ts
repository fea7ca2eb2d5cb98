import { type SourceMap, SourceMapUnreadable } from "@errata/core"
import { Either } from "effect"
import { SourceMapFile } from "./SourceMapFile.js"

/** Reads the map that a `data:` address is, in base64 or percent-encoded. */
export const readInline = (url: string): Either.Either<SourceMap, SourceMapUnreadable> => {
  const comma = url.indexOf(",")
  if (comma === -1 || !/^data:/i.test(url)) return notMap
  const data = url.slice(comma + 1)
  if (/;base64$/i.test(url.slice(0, comma))) return SourceMapFile.read(Buffer.from(data, "base64"))
  const text = Either.try(() => decodeURIComponent(data))
  return Either.isLeft(text) ? notMap : SourceMapFile.read(new TextEncoder().encode(text.right))
}

// internal

const notMap = Either.left(
  new SourceMapUnreadable({ code: "not_a_source_map", reason: "is not an address with data in it" }),
)
