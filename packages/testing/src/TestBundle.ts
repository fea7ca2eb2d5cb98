/** Test bundles: a JSON manifest with contents as text, and a simple reader for them. */

import { createHash } from "node:crypto"
import { BundleReader, BundleUnreadable, type RandomAccess } from "@errata/core/ports"
import { Effect, Layer } from "effect"

/** A file of a test bundle. */
export interface TestBundleFile {
  readonly type?: "source" | "minified_source" | "source_map"
  readonly url?: string | null
  readonly debugId?: string | null
  readonly mapReference?: string | null
  readonly content?: string
}

/** Encodes a bundle of these files. */
export const bytesOf = (files: ReadonlyArray<TestBundleFile>): Uint8Array =>
  new TextEncoder().encode(JSON.stringify({ files }))

/** Returns the SHA-1 in hexadecimal. */
export const sha1 = (content: Uint8Array): string => createHash("sha1").update(content).digest("hex")

/** Returns the SHA-256 in hexadecimal. */
export const sha256 = (content: Uint8Array | string): string =>
  createHash("sha256").update(content).digest("hex")

/** Splits bytes into slices of this length. */
export const slices = (content: Uint8Array, bytes: number): ReadonlyArray<Uint8Array> =>
  Array.from({ length: Math.ceil(content.byteLength / bytes) }, (_, i) =>
    content.slice(i * bytes, (i + 1) * bytes),
  )

/** A `BundleReader` of test bundles. Other content is unreadable, with a reason. */
export const layer: Layer.Layer<never> = Layer.succeed(BundleReader, {
  open: (source: RandomAccess) =>
    Effect.gen(function* () {
      // From the end to the beginning, in small pieces, as archive readers do.
      const pieces: Array<Uint8Array> = []
      for (let end = source.size; end > 0; end -= pieceBytes) {
        const start = Math.max(0, end - pieceBytes)
        pieces.unshift(yield* source.read(start, end - start))
      }
      const text = Buffer.concat(pieces).toString("utf8")
      const { files } = yield* Effect.try({
        try: () => JSON.parse(text) as { readonly files: ReadonlyArray<TestBundleFile> },
        catch: () => new BundleUnreadable({ reason: "The bundle is not a test bundle" }),
      })
      return {
        note: null,
        files: files.map(({ content = "", debugId, mapReference, type, url }) => ({
          type: type ?? "source_map",
          url: url ?? null,
          debugId: debugId ?? null,
          mapReference: mapReference ?? null,
          size: Buffer.byteLength(content),
          content: Effect.succeed(new TextEncoder().encode(content)),
        })),
      }
    }),
})

// internal

const pieceBytes = 7
